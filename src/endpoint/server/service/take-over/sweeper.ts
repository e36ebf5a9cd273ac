import type { ExpiredResponse } from '../../../stores/store.js'
import type { Setup } from '../setup.js'
import { unref } from '../storage/heartbeat.js'
import { takeOver } from './take-over.js'

/** Continues responses whose processes have died. */
export interface Sweeper {
  /** Takes over no more. Resolves when running take-overs have ended. */
  stop(): Promise<void>
}

/**
 * The interval of looking for expired leases, in milliseconds: a response is without a process for at most this much
 * longer.
 */
const EVERY_MS = 200
/** The maximum number of concurrent take-overs, each of which reads its entries and renders its prompt. */
const MAX = 16
/** The maximum number of responses that are examined if there is no room here for those that expired first. */
const MAX_SEEN = 1024

/** Sweeps at once, and then periodically. */
export function startSweeper(setup: Setup): Sweeper {
  const { store, stored } = setup.durable
  let isStopped = false
  /** The number to examine next time. */
  let seen = MAX
  let timer: ReturnType<typeof setTimeout> | undefined
  let sweeping: Promise<void> = Promise.resolve()

  /** Whether this process is still producing it, although it could not renew the lease. */
  const isHere = (responseId: string): boolean =>
    setup.beginning.has(responseId) || setup.runs.get(responseId)?.isLost === false

  /** Takes over one response. Returns whether it is no longer without a process. */
  async function take(expired: ExpiredResponse): Promise<boolean> {
    const { responseId, owner } = expired
    if (isStopped || isHere(responseId)) return false
    try {
      if (stored.isUnfinished(responseId)) {
        // Its readers were told its end, which is written when it is found.
        await stored.find(responseId, owner)
        return !stored.isUnfinished(responseId)
      }
      const taken = await takeOver(setup, expired)
      if (taken !== undefined) setup.observer?.takenOver(taken)
      return taken !== undefined
    } catch (error) {
      setup.report(error)
      return false
    }
  }

  async function sweep(): Promise<void> {
    try {
      const expired = await store.expired(seen)
      let hasTaken = false
      for (let at = 0; at < expired.length; at += MAX) {
        const taken = await Promise.all(expired.slice(at, at + MAX).map(take))
        hasTaken ||= taken.includes(true)
      }
      // Examines more, so that responses of an owner with too many here do not hide those of others.
      seen = expired.length < seen || hasTaken ? MAX : Math.min(2 * seen, MAX_SEEN)
    } catch (error) {
      setup.report(error)
    }
    if (isStopped) return
    timer = setTimeout(begin, EVERY_MS)
    unref(timer)
  }

  function begin(): void {
    sweeping = sweep()
  }
  begin()

  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await sweeping
    },
  }
}
