import { causesOfAll, type PossibleCauses } from './explained-by.js'

/** Violations that leave unknown which call a delta belongs to. */
const CALL_MISPLACED = [
  'chat-call-index',
  'chat-calls-in-order',
  'chat-call-ids-differ',
  'chat-chunk-shape:choices.delta.tool_calls',
]

/** Chunks that cannot be read, or are of another answer, so that their content is missing or extraneous. */
const CHUNKS_DIFFER = [
  'chat-one-completion',
  'chat-choice-index',
  'chat-error-last',
  'chat-chunk-shape:choices',
  'chat-chunk-shape:choices.delta',
]

/** Violations that break a client at a chunk, so that it loses its content. */
const CLIENT_BREAKS = ['chat-openai-error-key', 'chat-ai-sdk-validates', 'chat-ai-sdk-error-key', 'chat-client-reads']

/** For each rule of Chat Completions, the rules whose violations may be the cause of its violations. */
export const CHAT_CAUSES: Readonly<Record<string, PossibleCauses>> = {
  'chat-choices-dense': { stream: [...CHUNKS_DIFFER, 'chat-role-first'] },
  'chat-role-first': { event: ['chat-choice-index'], stream: CHUNKS_DIFFER },
  'chat-role-once': {
    stream: ['chat-role-first', 'chat-one-completion', 'chat-finish-once', 'chat-nothing-after-finish'],
  },
  // The token counts come where the finish_reason is missing.
  'chat-finish-once': {
    stream: ['chat-usage-last', 'chat-choices-dense', 'chat-nothing-after-finish', ...CHUNKS_DIFFER],
  },
  'chat-nothing-after-finish': { stream: ['chat-finish-once', 'chat-one-completion'] },
  'chat-calls-in-order': { item: ['chat-call-index'], event: ['chat-call-index'], stream: ['chat-calls-in-order'] },
  'chat-call-begins': { item: CALL_MISPLACED, event: CALL_MISPLACED, stream: ['chat-calls-in-order'] },
  'chat-call-goes-on': { item: [...CALL_MISPLACED, 'chat-call-begins'] },
  'chat-call-ids-differ': { item: CALL_MISPLACED },
  'chat-arguments-json': {
    item: [...CALL_MISPLACED, 'chat-call-begins', 'chat-call-goes-on', 'chat-arguments-encoded-once'],
    stream: [...CALL_MISPLACED, ...CHUNKS_DIFFER],
  },
  'chat-arguments-encoded-once': { item: CALL_MISPLACED },
  'chat-finish-has-calls': { stream: [...CALL_MISPLACED, ...CHUNKS_DIFFER, 'chat-nothing-after-finish'] },
  'chat-calls-finish': { event: ['chat-calls-one-form'], stream: ['chat-one-completion'] },
  'chat-usage-last': {
    stream: ['chat-usage-last', 'chat-error-last', 'chat-one-completion', 'chat-chunk-shape:choices'],
  },
  'chat-usage-announced': { event: ['chat-usage-last'] },
  'chat-done-at-end': { stream: ['chat-usage-last', 'chat-finish-once'] },

  'chat-client-result': { stream: ['chat-client-text', ...CLIENT_BREAKS] },
  'chat-ai-sdk-finish': { stream: CLIENT_BREAKS },
  ...causesOfAll(
    ['ending', 'error', 'text', 'reasoning', 'calls', 'arguments'].map((loss) => `chat-client-${loss}`),
    { stream: CLIENT_BREAKS },
  ),
}

/** The fields that a rule of Chat Completions is about. */
export const CHAT_RULE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'chat-one-completion': ['id', 'created', 'model'],
  'chat-id-named': ['id'],
  'chat-choice-index': ['choices.index'],
  'chat-role-first': ['choices.delta.role'],
  'chat-role-once': ['choices.delta.role'],
  'chat-finish-once': ['choices.finish_reason'],
  'chat-call-index': ['choices.delta.tool_calls.index'],
  'chat-call-begins': [
    'choices.delta.tool_calls.id',
    'choices.delta.tool_calls.type',
    'choices.delta.tool_calls.function.name',
    'choices.delta.tool_calls.custom.name',
  ],
  'chat-usage-last': ['usage'],
  'chat-usage-adds-up': ['usage'],
}
