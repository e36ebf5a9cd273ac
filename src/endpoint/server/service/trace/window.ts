import type { TraceRecord } from '../../../../core/trace/record.js'
import type { HiddenRecord } from './response-trace.js'

/** Which tokens of a trace are requested. */
export interface TraceQuery {
  /** The index of the last token that the client has. Default: none. */
  readonly after?: number
  /** The maximum number of tokens, up to 10,000. Default 1,000. */
  readonly limit?: number
}

/** The default number of tokens of a window. */
export const TRACE_TOKENS = 1000
/** The largest number of tokens of a window. */
export const MAX_TRACE_TOKENS = 10_000

/** The part of a trace that is requested. */
export class TraceWindow {
  readonly records: (TraceRecord | HiddenRecord)[] = []
  readonly isFirst: boolean
  /** The number of tokens so far, in it or not. */
  tokens = 0
  readonly #first: number
  readonly #end: number

  constructor({ after, limit = TRACE_TOKENS }: TraceQuery) {
    this.isFirst = after === undefined
    // What came before the first token is in the first window.
    this.#first = after === undefined ? -1 : after + 1
    this.#end = (after ?? -1) + limit + 1
  }

  /** Whether the last token of a record is in it. */
  has(record: TraceRecord): boolean {
    const last = 'to' in record ? record.to : record.index
    return last >= this.#first && last < this.#end
  }

  get last(): number {
    return Math.max(Math.min(this.tokens, this.#end) - 1, this.#first - 1)
  }

  get hasMore(): boolean {
    return this.tokens > this.#end
  }
}
