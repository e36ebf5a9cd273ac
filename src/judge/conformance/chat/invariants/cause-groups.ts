/** Violations that leave unknown which call a delta belongs to. */
export const CALL_MISPLACED: readonly string[] = [
  'chat-call-index',
  'chat-calls-in-order',
  'chat-call-ids-differ',
  'chat-chunk-shape:choices.delta.tool_calls',
]

/** Chunks that cannot be read, or are of another answer, so that their content is missing or extraneous. */
export const CHUNKS_DIFFER: readonly string[] = [
  'chat-one-completion',
  'chat-choice-index',
  'chat-error-last',
  'chat-chunk-shape:choices',
  'chat-chunk-shape:choices.delta',
]
