import type { Entry } from '../../journal/entry.js'
import type { RespondOptions, TranslateEntriesOptions } from '../../respond/index.js'
import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import type { Seal } from '../../seal/index.js'
import type { FinishedResponse, KeptResponse } from '../../stores/store.js'
import type { ApprovedCall } from '../../translate/options/options.js'
import type { ResolvedRequest } from './conversation.js'
import type { Beginning, TakenOver } from './journal.js'
import type { OnDisconnect } from './readers.js'
import type { Shelf } from './shelf.js'
import type { Stop } from './stop.js'
import type { Turnstile } from './turnstile.js'
import type { UnfinishedResponse } from './unfinished.js'

export type Batch = readonly ResponseStreamEvent[]

/** A response that is being made. */
export interface Run {
  readonly responseId: string
  /** The response as it began. */
  readonly created: ResponseObject
  /** The conversation before it. */
  readonly input: ResolvedRequest['input']
  readonly before: ResolvedRequest['before']
  /** Its events, for who asked for it. Leaving them is what `onDisconnect` is about. */
  readonly events: AsyncGenerator<Batch>
  /** Resolves when it is over and kept, by whichever process. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
  /** Resolves when this process makes it no more: it is over, or another process makes it. Never rejects. */
  readonly ended: Promise<void>
  /** Stops engine and tools before their next step. */
  cancel(): void
  /** Whether another process writes it by now. */
  readonly isLost: boolean
  /** Whether another process could go on with it. */
  readonly canHandOver: boolean
  /** Stops engine and tools, and lets another process go on. Who reads it here is cut off. Never rejects. */
  handOver(): Promise<void>
  /** The events for another reader; undefined if they are not kept. */
  follow(after?: number): Promise<AsyncGenerator<Batch> | undefined>
}

export interface RunOptions {
  readonly conversation: ResolvedRequest
  readonly respond: RespondOptions & TranslateEntriesOptions & { readonly responseId: string }
  /** Where its entries go; undefined if they have no later reader. */
  readonly shelf: Shelf | undefined
  /** What the store is told of it when it begins; or what this process goes on from. */
  readonly begin: Beginning | TakenOver
  readonly seal: Seal
  readonly owner: string
  readonly isTransient: boolean
  readonly onDisconnect: OnDisconnect
  /** A background response. */
  readonly isBackground: boolean
  /** Aborts when the client leaves. After the first events, their reader does. */
  readonly signal: AbortSignal | undefined
  /** Stops it when the server may wait for no response any more. */
  readonly stop: Stop
  /** For a response that is not opened where approvals are kept. @throws RequestError if one has been used before */
  readonly consumeApprovals: (calls: readonly ApprovedCall[]) => Promise<void>
  /** Spreads the ends of responses over turns of the event loop. */
  readonly endings: Turnstile
  readonly onError: (error: unknown) => void
  /** Receives each entry, once it is written. */
  readonly onEntry?: (entry: Entry) => void
  /** Receives the response if the store fails, and does not take its end either. */
  readonly onUnfinished: (response: UnfinishedResponse) => void
  readonly clock: () => number
  /** Called once the request is known to be right, before the model is called. */
  readonly onStart?: () => void
  /** Called once, however it ends; with nothing if it was refused, or could not be kept. */
  readonly onEnd: (ending: KeptResponse | undefined) => void
  /** Called once after that, when its last events were read or will not be: nothing of it is held any more. */
  readonly onClosed: () => void
}
