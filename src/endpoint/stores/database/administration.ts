import type { Call, OwnersRows } from './operation-types.js'

/** What a store holds. */
export interface StoreStatus {
  /** The number of responses that can be found. */
  readonly responses: number
  /** The number of those that have not ended. */
  readonly running: number
  /** The number of conversations: responses that continue each other. */
  readonly conversations: number
  /** The number of owners who have any. */
  readonly owners: number
  /** The bytes of their content, as `ownerBytes` counts them. */
  readonly bytes: number
  /** When the conversation was last used that nobody has used for longest, in Unix seconds. Absent without any. */
  readonly oldest?: number
  /** The version of the tables. */
  readonly version: number
}

/** What was deleted of an owner. */
export interface DeletedOwner {
  /** The number of responses that could be found, running ones included. */
  readonly responses: number
  /** The number of conversations. */
  readonly conversations: number
  /** The bytes of their content, as `ownerBytes` counts them. */
  readonly bytes: number
  /** The number of used approvals. */
  readonly approvals: number
}

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
