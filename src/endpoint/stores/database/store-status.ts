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
