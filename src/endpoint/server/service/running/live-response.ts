import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import type { ParsedRequest } from '../../../../core/responses/parsed-request.js'
import type { FinishedResponse, KeptResponse } from '../../../stores/store.js'
import type { Predecessor } from '../conversation/earlier-responses.js'
import type { CallWatch } from '../limits/call-watch.js'

/** A requested response: running or, if the request was repeated, possibly finished. */
export interface LiveResponse {
  /** The id of the response. */
  readonly responseId: string
  /** The request, as it was parsed. */
  readonly request: ParsedRequest
  /** The response as it began. */
  readonly created: KeptResponse
  /** The events of each step, oldest first. Can be read once. */
  readonly events: AsyncGenerator<readonly ResponseStreamEvent[]>
  /** Returns the part of the finished response that its client is shown. Default: all. */
  readonly shown?: (response: KeptResponse) => KeptResponse
  /** Its predecessor; undefined if it begins a conversation, or was requested before. @internal */
  readonly before?: Predecessor | undefined
  /** The engine's calls, if the caller awaits a status and the response begins here. @internal */
  readonly calls?: CallWatch | undefined
  /** Whether it failed because this server stops. Default: no. */
  readonly isStopped?: () => boolean
  /** Resolves when it is finished and stored; to undefined if it could not be stored. Never rejects. */
  readonly finished: Promise<FinishedResponse | undefined>
}
