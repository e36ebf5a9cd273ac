import type { ExpiredResponse } from '../../../stores/store.js'
import type { Setup } from '../setup.js'
import { unref } from '../storage/heartbeat.js'
import { OtherVersions } from './other-versions.js'
import { takeOver } from './take-over.js'

/**
 * The interval of looking for expired leases, in milliseconds: a response is without a process for at most this much
 * longer.
 */
const EVERY_MS = 200
/** The maximum number of concurrent take-overs, each of which reads its entries and renders its prompt. */
const MAX = 16
/** The maximum number of responses that are examined if there is no room here for those that expired first. */
const MAX_SEEN = 1024

/** Continues responses whose processes have died: looks for them at once, and then periodically. */
export class Sweeper {
  readonly #setup: Setup
  readonly #others: OtherVersions
  #isStopped = false
  /** The number to examine next time. */
  #seen = MAX
  #timer: ReturnType<typeof setTimeout> | undefined
  #sweeping: Promise<void>

  constructor(setup: Setup) {
    this.#setup = setup
    this.#others = new OtherVersions(setup.steady)
    this.#sweeping = this.#sweep()
  }

  /** Takes over no more. Resolves when running take-overs have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#sweeping
  }

  async #sweep(): Promise<void> {
    try {
      const expired = await this.#setup.durable.store.expired(this.#seen)
      let hasTaken = false
      for (let at = 0; at < expired.length; at += MAX) {
        const taken = await Promise.all(expired.slice(at, at + MAX).map((one) => this.#take(one)))
        hasTaken ||= taken.includes(true)
      }
      // Examines more, so that responses of an owner with too many here do not hide those of others.
      this.#seen = expired.length < this.#seen || hasTaken ? MAX : Math.min(2 * this.#seen, MAX_SEEN)
    } catch (error) {
      this.#setup.report(error)
    }
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep()
    }, EVERY_MS)
    unref(this.#timer)
  }

  /** Takes over one response. Returns whether it is no longer without a process. */
  async #take(expired: ExpiredResponse): Promise<boolean> {
    const { durable, observer, report } = this.#setup
    const { stored } = durable
    const { responseId, owner } = expired
    if (this.#isStopped || this.#isHere(responseId) || this.#others.isLeft(responseId)) return false
    try {
      if (stored.isUnfinished(responseId)) {
        // Its readers were told its end, which is written when it is found.
        await stored.find(responseId, owner)
        return !stored.isUnfinished(responseId)
      }
      const taken = await takeOver(this.#setup, expired, this.#others)
      if (taken !== undefined) observer?.takenOver(taken)
      return taken !== undefined
    } catch (error) {
      report(error)
      return false
    }
  }

  /** Whether this process is still producing it, although it could not renew the lease. */
  #isHere(responseId: string): boolean {
    const { beginning, runs } = this.#setup
    return beginning.has(responseId) || runs.get(responseId)?.isLost === false
  }
}
