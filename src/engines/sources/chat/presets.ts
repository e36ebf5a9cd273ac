/**
 * The servers that are known, by what differs from the defaults. They follow what the servers' documentation and their
 * users' reports said in November 2026; of them, only vLLM was run.
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
  },
  ollama: {
    reasoningFields: ['reasoning'],
    formatBesideTools: false,
    omits: ['top_k', 'min_p', 'parallel_tool_calls'],
  },
  'lm-studio': {
    reasoningFields: ['reasoning', 'reasoning_content'],
    omits: ['min_p', 'parallel_tool_calls'],
    formatBesideTools: false,
  },
  groq: {
    reasoningFields: ['reasoning'],
    limitField: 'max_completion_tokens',
    formatBesideTools: false,
    strict: true,
  },
  openrouter: {
    reasoningFields: ['reasoning', 'reasoning_content'],
    effortField: 'reasoning',
    omits: [],
    images: true,
  },
  together: {
    reasoningFields: ['reasoning', 'reasoning_content'],
    omits: ['parallel_tool_calls'],
  },
  deepseek: {
    reasoningFields: ['reasoning_content'],
    formats: 'json_object',
    omits: ['top_k', 'min_p', 'seed', 'parallel_tool_calls'],
  },
  mistral: {
    returnsReasoning: false,
    omits: ['top_k', 'min_p', 'seed', 'stream_options'],
    continues: 'prefix',
  },
} as const

/** The name of a known server. */
export type ChatPreset = keyof typeof CHAT_PRESETS
