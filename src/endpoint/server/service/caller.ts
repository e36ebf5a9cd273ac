import type { HostUsage } from '../../../core/tokens/token-source.js'
import type { GenerateOptions } from '../../../engines/contract/index.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import type { RequestObservation } from '../observe/observe-request.js'
import type { RememberedResponse } from './conversation/earlier-responses.js'

/** The owner of everything where no request has a key. */
export const ANONYMOUS = 'anonymous'

/** The caller of a request, and facts from outside its body. */
export interface Caller {
  /** The owner of its responses. No other owner can find them. */
  readonly owner: string
  /** Aborts when the client has left before there was anything to send. */
  readonly signal?: AbortSignal
  /**
   * Whether its client still waits for a status when the model is first called. A refused call is then not made again
   * after `statusSeconds`: the client is told instead. Not for background responses.
   */
  readonly awaitsStatus?: boolean
  /** The `Idempotency-Key`. */
  readonly idempotencyKey?: string
  /** The trace context of the request, for the engine. */
  readonly trace?: NonNullable<GenerateOptions['trace']>
  /** The memory that the request's body holds. The response takes it over. @internal */
  readonly held?: ByteHold
  /** The observed HTTP request. @internal */
  readonly observed?: RequestObservation
  /** Whether a failure is also an `error` event. Default: the service's setting. */
  readonly errorEvent?: boolean
  /**
   * How to treat content of a foreign seal. Default: the service's setting. A client of the Messages API may bring a
   * conversation with any server: content that this server cannot open is left out.
   */
  readonly foreignSeals?: 'ignore'
  /** See `respond`. */
  readonly returnedArguments?: 'objects'
  /** Called with the stop string that ends an answer. */
  readonly onStopString?: (string: string) => void
  /**
   * Receives the input of the model's first call: as soon as it begins, and when the engine reports its cached tokens.
   */
  readonly onInput?: (usage: HostUsage) => void
  /** See `respond`. */
  readonly maxSearches?: number
  /** Whether the client can be asked for the approval of a call. Default: `ask`. */
  readonly approvals?: 'ask' | 'refuse'
  /** Whether it receives the calls that `offeredCalls` hides: an API without a place for them omits them itself. */
  readonly getsHiddenCalls?: boolean
  /** Looks up responses that are not stored but that the caller remembers. @internal */
  readonly remembered?: (responseId: string) => RememberedResponse | undefined
}
