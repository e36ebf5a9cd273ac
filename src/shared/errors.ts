import { shortened } from './shortened.js'

/**
 * The caller's mistake, as a code to branch on:
 *
 * - `bad_option`: an option is missing, has the wrong type, or conflicts with another.
 * - `bad_chunk`: a pushed chunk is not a token, text or a host chunk.
 * - `empty_source`: a source ended before its first chunk, without a reason.
 * - `bad_result`: a tool result is empty or malformed.
 * - `bad_snapshot`: the argument of `restore` is not a snapshot of this version.
 * - `bad_fixture`: a token fixture does not have the shape that `sources/replay` documents.
 * - `bad_stream`: the input is not a Responses stream: its bytes, its events, or the object that yields them are wrong.
 * - `token_table_missing`: token ids were pushed into a `Translator` without a token table.
 * - `translator_closed`: a method was called after the terminal event.
 * - `reentrant_call`: a callback called a method of the translator that was calling it.
 * - `unknown_item`: a tool result names an item that was never streamed.
 * - `item_takes_no_result`: a tool result names an item that the host does not run.
 * - `snapshot_unsupported`: the state of a custom parser cannot be serialized.
 * - `text_unsupported`: text was pushed into a parser that accepts only token ids.
 * - `prompt_differs`: the conversation that `respond` is asked to resume does not render to the prompt in its entries.
 * - `bad_script`: a scripted engine has no turn left, or was given one that it cannot write.
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
  | 'reentrant_call'
  | 'unknown_item'
  | 'item_takes_no_result'
  | 'snapshot_unsupported'
  | 'text_unsupported'
  | 'prompt_differs'
  | 'bad_script'
  | 'no_terminal_event'

/**
 * The core's only error class, thrown for mistakes of the *caller*. The model's output never throws: its mistakes are
 * reported as diagnostics. The message states what was expected and what was received.
 *
 * @example
 * ```ts
 * import { HarmonyResponsesError, Translator } from 'harmony-responses'
 *
 * try {
 *   new Translator({ clock: 'noon' as never })
 * } catch (error) {
 *   if (!(error instanceof HarmonyResponsesError)) throw error
 *   console.log(error.code, error.message) // bad_option clock: expected a function, got "noon"
 * }
 * ```
 */
export class HarmonyResponsesError extends Error {
  override readonly name = 'HarmonyResponsesError'
  /** The kind of mistake, to branch on. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Throws `WHAT: expected EXPECTED, got GOT` if the caller made a mistake. */
export function check(
  isRight: boolean,
  what: string,
  expected: string,
  got: unknown,
  code: ErrorCode = 'bad_option',
): asserts isRight {
  if (!isRight) throw new HarmonyResponsesError(code, `${what}: expected ${expected}, got ${describe(got)}`)
}

/** Throws if the value does not yield events. Usually the caller forgot an `await` or a call. */
export function checkStream(what: string, events: unknown): void {
  check(typeof events !== 'string' && isIterable(events), what, 'an iterable of events', events, 'bad_stream')
}

/** Whether `for await` can read the value. */
export function isIterable(value: unknown): boolean {
  return [Symbol.asyncIterator, Symbol.iterator].some((symbol) => symbol in Object(value))
}

/** Throws if a value from a stream of events is not an event. */
export function checkEvent(what: string, event: unknown): asserts event is { readonly type: string } {
  check(typeof Object(event).type === 'string', what, 'an event', event, 'bad_stream')
}

/** Describes a value briefly, for an error message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value, 40))
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return 'an array'
    const { name = '' } = (Object.getPrototypeOf(value)?.constructor ?? {}) as { name?: unknown }
    return name === '' || name === 'Object' ? 'an object' : (name as string)
  }
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}
