/** The rules that every correct token source follows, by id. */
export const SOURCE_RULES = {
  'asks-when-read': 'The backend gets no request before the first next(), and none if the call was closed by then.',
  'tokens-once': 'Every token is yielded once, in order, and nothing else is.',
  'stop-token-last': 'The stop token is yielded, as the last one.',
  'end-reason': 'The source returns the reason for its end: stop or max_output_tokens.',
  'error-once': 'An error is thrown by one next(), after the tokens before it.',
  'over-stays-over': 'After the end, whatever caused it, every next() returns done.',
  'return-closes': 'return() resolves at once and closes the call; a pending next() returns done.',
  'abort-closes': 'An abort closes the call, and one next() throws its reason.',
} as const

/** The id of a rule in {@link SOURCE_RULES}. */
export type SourceRule = keyof typeof SOURCE_RULES

/** A violation of one of {@link SOURCE_RULES}. */
export interface SourceViolation {
  /** The rule's id. */
  readonly rule: SourceRule
  /** How many tokens, or UTF-16 code units of text, had been read. */
  readonly position: number
  /** The expected behaviour, in words. */
  readonly expected: string
  /** The actual behaviour, in words. */
  readonly got: string
}
