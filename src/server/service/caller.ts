import type { ByteHold } from '../../byte-budget.js'
import type { GenerateOptions } from '../../engine/index.js'
import type { HostUsage } from '../../tokens/token-source.js'
import type { RequestObservation } from '../observe/observe-request.js'
import type { RememberedResponse } from './earlier-responses.js'

/** Who sends a request, and what came beside its body. */
export interface Caller {
  /** The owner of these responses. No other owner can find them. */
  readonly owner: string
  /** Aborts when the client has left before there was anything to send. */
  readonly signal?: AbortSignal
  /** The `Idempotency-Key`. */
  readonly idempotencyKey?: string
  /** The trace context of the request, for the engine. */
  readonly trace?: NonNullable<GenerateOptions['trace']>
  /** What the request's body holds of the memory. A response that it begins takes it over. */
  readonly held?: ByteHold
  /** The HTTP request that it is, for who watches. */
  readonly observed?: RequestObservation
  /** Whether a failure is also an `error` event. Default: as the service has it. */
  readonly errorEvent?: boolean
  /**
   * What becomes of content that another seal made. Default: as the service has it. A client of the Messages API may bring a
   * conversation with any server: what this server cannot open is left out.
   */
  readonly foreignSeals?: 'ignore'
  /** As in `respond`. */
  readonly returnedArguments?: 'objects'
  /** Called with the stop string that ends an answer. */
  readonly onStopString?: (string: string) => void
  /** Told what the first call of the model takes in: as soon as it begins, and when the engine says what its cache had. */
  readonly onInput?: (usage: HostUsage) => void
  /** As in `respond`. */
  readonly mostSearches?: number
  /** Whether its client can be asked for the approval of a call. Default: `ask`. */
  readonly approvals?: 'ask' | 'refuse'
  /** Whether it gets what `offeredCalls` hides: an API that has no place for the calls of the host leaves them out by itself. */
  readonly getsHiddenCalls?: boolean
  /** Responses that are not stored, and that the caller remembers. */
  readonly remembered?: (responseId: string) => RememberedResponse | undefined
}
