import type { ApprovedCall } from '../../../../core/options/options.js'
import type { Batch } from '../../../../core/responses/batch.js'
import type { ResponseObject } from '../../../../core/responses/response.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import type { Entry } from '../../../journal/entry.js'
import type { RespondOptions, TranslateEntriesOptions } from '../../../respond/index.js'
import type { Seal } from '../../../seal/index.js'
import type { FinishedResponse, KeptResponse } from '../../../stores/store.js'
import type { ResolvedRequest } from '../conversation/conversation.js'
import type { Turnstile } from '../limits/turnstile.js'
import type { Beginning, TakenOver } from '../storage/journal.js'
import type { ResponseRepository } from '../storage/response-repository.js'
import type { UnfinishedResponse } from '../storage/unfinished.js'
import type { OnDisconnect } from './readers.js'
import type { Stop } from './stop.js'

/** A running response. */
export interface Run {
  readonly responseId: string
  /** The response as it began. */
  readonly created: ResponseObject
  /** The conversation before it. */
  readonly input: ResolvedRequest['input']
  readonly before: ResolvedRequest['before']
  /** Its events, for the requester. `onDisconnect` applies to leaving them. */
  readonly events: AsyncGenerator<Batch>
  /** Resolves when it is finished and stored, by any process. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
  /** Resolves when this process no longer runs it: it has ended, or another process runs it. Never rejects. */
  readonly ended: Promise<void>
  /** Stops engine and tools before their next step. */
  cancel(): void
  /** Whether it failed because this server stops. */
  readonly isStopped: boolean
  /** Whether another process now writes it. */
  readonly isLost: boolean
  /** Whether another process could continue it. */
  readonly canHandOver: boolean
  /** Stops engine and tools, and lets another process continue. Its readers here are cut off. Never rejects. */
  handOver(): Promise<void>
  /** Returns the events for another reader; undefined if they are not stored. */
  follow(after?: number): Promise<AsyncGenerator<Batch> | undefined>
}

export interface RunOptions {
  readonly conversation: ResolvedRequest
  readonly respond: RespondOptions & TranslateEntriesOptions & { readonly responseId: string }
  /** The store of its entries; undefined if they have no later reader. */
  readonly repository: ResponseRepository | undefined
  /** Its beginning in the store, or the response that this process continues. */
  readonly begin: Beginning | TakenOver
  readonly seal: Seal
  readonly owner: string
  readonly isTransient: boolean
  readonly onDisconnect: OnDisconnect
  /** Whether it is a background response. */
  readonly isBackground: boolean
  /** Aborts when the client leaves before the first events; after them, their reader leaves. */
  readonly signal: AbortSignal | undefined
  /** Stops it when the server can no longer wait for responses. */
  readonly stop: Stop
  /**
   * Consumes approvals of a response that is not opened where they are stored. @throws RequestError if one has been
   * used before
   */
  readonly consumeApprovals: (calls: readonly ApprovedCall[]) => Promise<void>
  /** Counts the memory of a reader that follows its stored entries. */
  readonly holdReader: () => ByteHold
  /** Spreads the ends of responses over turns of the event loop. */
  readonly endings: Turnstile
  readonly onError: (error: unknown) => void
  /** Receives each entry, once written. */
  readonly onEntry?: (entry: Entry) => void
  /** Receives the response if the store fails, and does not accept its end either. */
  readonly onUnfinished: (response: UnfinishedResponse) => void
  readonly clock: () => number
  /** Called once, when the request has been validated and has its turn, before the model is called. */
  readonly onStart?: () => void
  /** Called once, however it ends; without an argument if it was refused, or could not be stored. */
  readonly onEnd: (ending: KeptResponse | undefined) => void
  /** Called once after that, when its last events were read or never will be, so that its memory is free. */
  readonly onClosed: () => void
}
