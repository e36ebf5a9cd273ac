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

/** Sweeps at once, and then again and again. */
export function startSweeper(setup: Setup): Sweeper {
  const { store } = setup.durable
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let sweeping: Promise<void> = Promise.resolve()

  async function take(expired: ExpiredResponse): Promise<void> {
    // This process has not been able to renew its lease, and is at work.
    if (isStopped || setup.runs.get(expired.responseId)?.isLost === false) return
    try {
      const taken = await takeOver(setup, expired)
      if (taken !== undefined) setup.observer?.takenOver(taken)
    } catch (error) {
      setup.report(error)
    }
  }

  async function sweep(): Promise<void> {
    try {
      await Promise.all((await store.expired(MOST)).map(take))
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
