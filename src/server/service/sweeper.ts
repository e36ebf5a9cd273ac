import type { ExpiredResponse } from '../../stores/store.js'
import { unref } from './heartbeat.js'
import type { Setup } from './setup.js'
import { takeOver } from './take-over.js'

/** Goes on with responses whose processes have died. */
export interface Sweeper {
  /** Takes over no more. Resolves when what is under way is done. */
  stop(): Promise<void>
}

/** How often expired leases are looked for, in milliseconds: a response is without a process for so much longer at most. */
const EVERY_MS = 200
/** How many are taken over at a time: each reads its entries, and renders its prompt. */
const MOST = 16
/** How many are looked at, where there is no room here for those that expired first. */
const MOST_SEEN = 1024

/** Sweeps at once, and then again and again. */
export function startSweeper(setup: Setup): Sweeper {
  const { store } = setup.durable
  let isStopped = false
  /** How many are looked at next time. */
  let seen = MOST
  let timer: ReturnType<typeof setTimeout> | undefined
  let sweeping: Promise<void> = Promise.resolve()

  /** Whether this process is at work on it, and has not been able to renew its lease. */
  const isHere = (responseId: string): boolean =>
    setup.beginning.has(responseId) || setup.runs.get(responseId)?.isLost === false

  /** Returns whether there is one fewer. */
  async function take(expired: ExpiredResponse): Promise<boolean> {
    if (isStopped || isHere(expired.responseId)) return false
    try {
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
      for (let at = 0; at < expired.length; at += MOST) {
        const taken = await Promise.all(expired.slice(at, at + MOST).map(take))
        hasTaken ||= taken.includes(true)
      }
      // Those of an owner who has too much here do not hide those of others.
      seen = expired.length < seen || hasTaken ? MOST : Math.min(2 * seen, MOST_SEEN)
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
