import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ParsedRequest } from '../../responses/parsed-request.js'
import type { FinishedResponse, KeptResponse } from '../../stores/store.js'
import type { Predecessor } from './earlier-responses.js'

/** A response that was asked for: under way, or, if the request was sent before, perhaps over. */
export interface LiveResponse {
  readonly responseId: string
  readonly request: ParsedRequest
  /** The response as it began. */
  readonly created: KeptResponse
  readonly events: AsyncGenerator<readonly ResponseStreamEvent[]>
  /** What its client is shown of it, when it is over. Default: all. */
  readonly shown?: (response: KeptResponse) => KeptResponse
  /** What it goes on from; undefined if it begins a conversation, or was asked for before. */
  readonly before?: Predecessor | undefined
  /** Resolves when it is over and kept; to undefined if it could not be kept. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
}
