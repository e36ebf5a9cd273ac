/**
 * The servers that are known, by what differs from the defaults. docs/chat-engine.md says what each rests on; of them, only
 * vLLM was run.
 */
export const CHAT_PRESETS = {
  openai: {
    returnsReasoning: false,
    limitField: 'max_completion_tokens',
    strict: true,
    images: true,
  },
  vllm: {
    omits: [],
    strict: true,
    continues: 'continue_final_message',
    stop: true,
  },
  ollama: {
    reasoningFields: ['reasoning'],
    formatBesideTools: false,
    omits: ['top_k', 'min_p', 'parallel_tool_calls'],
    stop: true,
    contextPath: '/api/ps',
  },
  'lm-studio': {
    reasoningFields: ['reasoning', 'reasoning_content'],
    omits: ['min_p', 'parallel_tool_calls'],
    formats: 'schema_only',
    formatBesideTools: false,
    toolChoice: 'required',
    stop: true,
    contextPath: '/api/v0/models',
  },
  groq: {
    reasoningFields: ['reasoning'],
    limitField: 'max_completion_tokens',
    formatBesideTools: false,
    strict: true,
    stop: true,
  },
  openrouter: {
    reasoningFields: ['reasoning', 'reasoning_content'],
    effortField: 'reasoning',
    omits: [],
    images: true,
    stop: true,
  },
  together: {
    reasoningFields: ['reasoning', 'reasoning_content'],
    omits: ['parallel_tool_calls'],
    stop: true,
  },
  deepseek: {
    reasoningFields: ['reasoning_content'],
    formats: 'json_object',
    omits: ['top_k', 'min_p', 'seed', 'parallel_tool_calls'],
    toolChoice: 'none',
    stop: true,
  },
  mistral: {
    returnsReasoning: false,
    omits: ['top_k', 'min_p', 'seed', 'stream_options'],
    strict: true,
    continues: 'prefix',
    stop: true,
  },
} as const

/** The name of a known server. */
export type ChatPreset = keyof typeof CHAT_PRESETS
