/**
 * What went wrong on the caller's side, as a word to branch on:
 *
 * - `bad_option`: an option is missing, of the wrong type, or contradicts another.
 * - `bad_chunk`: something that is no token, text or host chunk was pushed.
 * - `empty_source`: a source ended at once, and did not say why.
 * - `bad_result`: a tool result says nothing, or not in a way that is understood.
 * - `bad_snapshot`: what was given to `restore` is no snapshot of this version.
 * - `bad_fixture`: a token fixture does not have the shape that `sources/replay` describes.
 * - `bad_stream`: what should be a Responses stream is none: its bytes, its events, or the object that yields them.
 * - `token_table_missing`: token ids were pushed into a `Translator` that has no token table.
 * - `translator_closed`: something was pushed after the terminal event.
 * - `unknown_item`: a tool result names an item that was never streamed.
 * - `item_takes_no_result`: a tool result names an item that the client, not the host, has to answer.
 * - `snapshot_unsupported`: the state of a foreign parser cannot be written down.
 * - `text_unsupported`: text was pushed into a parser that takes token ids only.
 * - `no_terminal_event`: an event stream ended before its `response.completed`, `.incomplete` or `.failed`.
 */
export type ErrorCode =
  | 'bad_option'
  | 'bad_chunk'
  | 'empty_source'
  | 'bad_result'
  | 'bad_snapshot'
  | 'bad_fixture'
  | 'bad_stream'
  | 'token_table_missing'
  | 'translator_closed'
  | 'unknown_item'
  | 'item_takes_no_result'
  | 'snapshot_unsupported'
  | 'text_unsupported'
  | 'no_terminal_event'

/**
 * The one error class of the library. It is thrown for what the *caller* gets wrong; what the model emits is never an
 * exception but a diagnostic. The message says what was expected and what came.
 */
export class HarmonyResponsesError extends Error {
  override readonly name = 'HarmonyResponsesError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Throws where the caller is wrong: `WHAT: expected EXPECTED, got GOT`. */
export function check(
  isRight: boolean,
  what: string,
  expected: string,
  got: unknown,
  code: ErrorCode = 'bad_option',
): asserts isRight {
  if (!isRight) throw new HarmonyResponsesError(code, `${what}: expected ${expected}, got ${describe(got)}`)
}

/** Throws where something does not yield events: what is missing is most often an `await` or a call. */
export function checkStream(what: string, events: unknown): void {
  check(typeof events !== 'string' && isIterable(events), what, 'an iterable of events', events, 'bad_stream')
}

/** Whether it can be read by `for await`. */
export function isIterable(value: unknown): boolean {
  return [Symbol.asyncIterator, Symbol.iterator].some((symbol) => symbol in Object(value))
}

/** Throws where something that events were expected of yields something else. */
export function checkEvent(what: string, event: unknown): asserts event is { readonly type: string } {
  check(typeof Object(event).type === 'string', what, 'an event', event, 'bad_stream')
}

/** A value in a few words, for an error message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return 'an array'
    const { name = '' } = (Object.getPrototypeOf(value)?.constructor ?? {}) as { name?: unknown }
    return name === '' || name === 'Object' ? 'an object' : (name as string)
  }
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}
