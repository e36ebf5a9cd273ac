import type { Call, DeletedOwner, OwnersRows, StoreStatus } from './operation-types.js'

/** What an operator does with a store, beside its process. */
export interface StoreAdministration {
  /** Counts what the store holds. */
  status(): Promise<StoreStatus>
  /**
   * Deletes everything of one owner, some conversations in each step, so that others are served meanwhile. Running
   * responses end, and their clients are not answered.
   */
  deleteOwner(owner: string): Promise<DeletedOwner>
}

/** The most conversations that are deleted in one step: appends of other owners wait for it. */
const MAX_DELETED = 16

export function createAdministration(call: Call): StoreAdministration {
  return {
    status: () => call('first', 'status'),
    async deleteOwner(owner) {
      const deleted = { responses: 0, conversations: 0, bytes: 0, approvals: 0 }
      let step: OwnersRows
      do {
        step = await call({ owner }, 'deleteOwner', owner, MAX_DELETED)
        deleted.responses += step.responses
        deleted.conversations += step.conversations
        deleted.bytes += step.bytes
        deleted.approvals += step.approvals
      } while (!step.isAll)
      return deleted
    },
  }
}
