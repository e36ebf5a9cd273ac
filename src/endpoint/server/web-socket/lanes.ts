import type { Pause } from '../../../shared/slices.js'

export interface LanesOptions {
  /** The maximum number of running and waiting requests, on all lanes together. */
  readonly max: number
  /** Their total length in characters. A single request may have any. */
  readonly maxSize: number
  /** Refuses a request that was one too many, in its turn. */
  readonly refuse: (lane: string | undefined) => Promise<void> | undefined
  /** Does the same for an idle lane. */
  readonly refuseNow: (lane: string | undefined) => void
  /** Called when the last request is answered. */
  readonly onIdle: () => void
  /** Lets other work run between two requests of a lane. */
  readonly pause: Pause
  readonly onError: (error: unknown) => void
}

type Waiting =
  | { readonly size: number; readonly answer: () => Promise<void> }
  /** How many in a row were too many: they cost nothing, however many they are. */
  | { refused: number }

/** The requests of a connection: those of one lane run in order of arrival. */
export class Lanes {
  readonly #options: LanesOptions
  readonly #lanes = new Map<string | undefined, Waiting[]>()
  #count = 0
  #size = 0

  constructor(options: LanesOptions) {
    this.#options = options
  }

  /** Whether all requests are answered. */
  get isIdle(): boolean {
    return this.#lanes.size === 0
  }

  /**
   * @param size - the length of the request, in characters
   * @returns whether it will be answered in its turn; otherwise it is refused in its turn
   */
  add(lane: string | undefined, size: number, answer: () => Promise<void>): boolean {
    const { max, maxSize } = this.#options
    const waiting = this.#lanes.get(lane)
    if (this.#count >= max || (this.#count > 0 && this.#size + size > maxSize)) {
      this.#refuse(lane, waiting)
      return false
    }
    this.#count += 1
    this.#size += size
    if (waiting !== undefined) {
      waiting.push({ size, answer })
      return true
    }
    const opened = [{ size, answer }]
    this.#lanes.set(lane, opened)
    this.#work(lane, opened)
    return true
  }

  /** Forgets waiting requests. */
  clear(): void {
    // Running ones end by themselves.
    for (const waiting of this.#lanes.values()) waiting.length = 0
  }

  #refuse(lane: string | undefined, waiting: Waiting[] | undefined): void {
    const last = waiting?.at(-1)
    if (waiting === undefined) this.#options.refuseNow(lane)
    else if (last !== undefined && 'refused' in last) last.refused += 1
    else waiting.push({ refused: 1 })
  }

  async #work(lane: string | undefined, waiting: Waiting[]): Promise<void> {
    const { refuse, onIdle, pause, onError } = this.#options
    let isFirst = true
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (!isFirst) await pause()
      isFirst = false
      // All waiting requests may have been forgotten meanwhile.
      if (waiting.length === 0) break
      if ('refused' in next) {
        next.refused -= 1
        if (next.refused === 0) waiting.shift()
        await refuse(lane)
        continue
      }
      await next.answer().catch(onError)
      this.#count -= 1
      this.#size -= next.size
      waiting.shift()
    }
    this.#lanes.delete(lane)
    if (this.isIdle) onIdle()
  }
}
