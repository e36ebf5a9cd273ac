import { type ChatRequest, fromChatRequest } from '../../../src/dialects/index.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { type ParsedRequest, parseRequest, RequestError } from '../../../src/endpoint/request/index.js'

/** A body that parses, and what it becomes. */
export function parsed(body: object): ParsedRequest {
  return parseRequest(fromChatRequest(body).request)
}

/** What a body is refused with, by whoever refuses it first, as a server reports it. */
export function refusalOf(body: unknown): RequestError | undefined {
  let chat: ChatRequest | undefined
  try {
    chat = fromChatRequest(body)
    promptMessages(parseRequest(chat.request), { date: '2026-01-31' })
    return undefined
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return chat?.refusal(error) ?? error
  }
}

export const user = { role: 'user', content: 'hi' } as const

/** A body with everything that can be said, but for what excludes it. */
export const FULL = {
  model: 'gpt-oss',
  messages: [
    { role: 'system', content: 'Be brief.', name: 'host' },
    { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Weather?' }], name: 'ann' },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'Two calls.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
        { id: 'call_2', type: 'custom', custom: { name: 'apply', input: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'done' }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    { role: 'assistant', content: [{ type: 'text', text: 'Sunny.' }], refusal: null },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
    { role: 'function', name: 'old', content: 'rain' },
    { role: 'assistant', content: null, refusal: 'No.' },
    { role: 'user', content: 'Why?' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
    },
    {
      type: 'custom',
      custom: {
        name: 'apply',
        description: 'd',
        format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
      },
    },
  ],
  functions: [{ name: 'old', description: 'd', parameters: { type: 'object' } }],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
  },
  web_search_options: {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: { city: 'Rome', country: 'IT' } },
  },
  response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema: {}, strict: true } },
  max_completion_tokens: 100,
  reasoning_effort: 'high',
  reasoning: { exclude: true },
  include_reasoning: true,
  verbosity: 'low',
  temperature: 1,
  top_p: 0.5,
  presence_penalty: 1,
  frequency_penalty: 1,
  parallel_tool_calls: true,
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  store: true,
  metadata: { a: 'b' },
  user: 'u',
  safety_identifier: 's',
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit' },
  service_tier: 'auto',
  logprobs: true,
  top_logprobs: 3,
  n: 1,
  modalities: ['text'],
} as const
