import { createBatchWriter } from '../../../endpoint/server/service/storage/batch-writer.js'
import type { Lease, ResponseStore } from '../../../endpoint/stores/store.js'

/** The most leases of a worker that others know of. The earliest ones beyond them expire as any other does. */
export const MAX_HELD = 4096

/** How often it is tried to give a lease up: the last appends of a process that was killed may take effect meanwhile. */
const TRIES = 3

/**
 * Tells which responses that began here this process may write. Not those that it took over: what ends each process that runs it
 * would end all of them at once.
 *
 * @param tell - is told when this process has a lease, and when it has it no more
 * @returns the store, watched
 */
export function watchLeases<Store extends ResponseStore>(
  store: Store,
  tell: (lease: Lease, isHeld: boolean) => void,
): Store {
  const held = new Map<string, Lease>()

  function release(lease: Lease | undefined): void {
    if (lease !== undefined && held.delete(lease.responseId)) tell(lease, false)
  }

  return {
    ...store,
    async open(response) {
      const opening = await store.open(response)
      if (opening.state !== 'opened' || response.leaseSeconds === 0) return opening
      const { lease } = opening
      if (held.size >= MAX_HELD) release(held.values().next().value)
      held.set(lease.responseId, lease)
      tell(lease, true)
      return opening
    },
    async append(appends) {
      const results = await store.append(appends)
      for (const [at, { lease, end, leaseSeconds }] of appends.entries()) {
        const state = results[at]?.state
        if (state === 'lost' || (state === 'written' && (end !== undefined || leaseSeconds === 0))) release(lease)
      }
      return results
    },
  }
}

/**
 * Gives up the leases of a process that has ended, so that any other one may go on with its responses at once.
 *
 * @param over - is told of each that is not to be tried again
 */
export async function giveUp(
  store: ResponseStore,
  leases: readonly Lease[],
  over: (lease: Lease) => void,
): Promise<void> {
  const writer = createBatchWriter(store)

  async function giveUpOne(lease: Lease): Promise<void> {
    for (let at = 0, tries = 0; tries < TRIES; tries++) {
      const result = await writer.append({ lease, at, leaseSeconds: 0 })
      if (result.state !== 'behind') return
      at = result.count
    }
  }
  await Promise.all(leases.map((lease) => giveUpOne(lease).finally(() => over(lease))))
}
