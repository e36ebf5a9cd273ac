import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import { ExpiringBytes } from '../../flow/expiring-bytes.js'
import { type OpenOptions, openAddress } from './open-address.js'
import { readBytes } from './read-bytes.js'
import { type MayLoad, readRobots } from './robots-rules.js'

/** How much of a robots.txt is read, in bytes: what RFC 9309 asks for at least. */
const MAX_ROBOTS = 512_000
/** The size of all that are kept, in bytes, and for how many seconds: RFC 9309 allows a day. */
const MAX_KEPT = 8_388_608
const KEPT_SECONDS = 3_600

/** What sites allow robots to load, in their robots.txt. */
export class Robots {
  readonly #robot: string
  readonly #kept: ExpiringBytes<MayLoad> = new ExpiringBytes({
    max: MAX_KEPT,
    seconds: KEPT_SECONDS,
    clock: steadySeconds,
  })

  /** @param userAgent - how pages are asked for, which begins with the robot's product token */
  constructor(userAgent: string) {
    this.#robot = /^[a-z_-]*/i.exec(userAgent)?.[0] ?? ''
  }

  /**
   * Whether a page may be loaded. A site without a robots.txt allows all.
   *
   * @throws what `options.failed` creates, if it cannot be read
   */
  async allows(url: URL, signal: AbortSignal, options: OpenOptions): Promise<boolean> {
    const mayLoad = this.#kept.get(url.origin) ?? (await this.#load(url.origin, signal, options))
    return mayLoad(url.pathname + url.search)
  }

  async #load(origin: string, signal: AbortSignal, options: OpenOptions): Promise<MayLoad> {
    const { response } = await openAddress(`${origin}/robots.txt`, signal, options)
    const isThere = response.status >= 200 && response.status < 300
    const isMissing = response.status >= 400 && response.status < 500
    if (!isThere) await response.body?.cancel()
    if (!isThere && !isMissing) throw options.failed(`its robots.txt cannot be read: HTTP ${response.status}`)
    const { bytes } = isThere ? await readBytes(response, MAX_ROBOTS) : { bytes: new Uint8Array() }
    const mayLoad = readRobots(new TextDecoder().decode(bytes), this.#robot)
    this.#kept.keep(origin, mayLoad, 2 * (bytes.length + origin.length))
    return mayLoad
  }
}
