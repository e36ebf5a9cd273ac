// One of each event, item and part of Open Responses, with every field that it may have.

const logprob = { token: 'T', logprob: -0.5, bytes: [84], top_logprobs: [{ token: 'U', logprob: -1, bytes: [85] }] }
const citation = { type: 'url_citation', url: 'U', title: 'T', start_index: 0, end_index: 1 }

const parts = [
  { type: 'output_text', text: 'T', annotations: [citation], logprobs: [logprob] },
  { type: 'text', text: 'T' },
  { type: 'summary_text', text: 'T' },
  { type: 'reasoning_text', text: 'T' },
  { type: 'refusal', refusal: 'R' },
  { type: 'input_text', text: 'T' },
  { type: 'input_image', image_url: null, detail: 'auto' },
  { type: 'input_file', filename: 'F', file_url: 'U' },
]
const results = parts.slice(-3)
const status = 'completed'

const items = [
  {
    type: 'message',
    id: 'msg_1',
    status,
    role: 'assistant',
    content: [...parts, { type: 'input_video', video_url: 'U' }],
    phase: 'commentary',
  },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}', status },
  { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'O', status },
  { type: 'function_call_output', id: 'fco_2', call_id: 'call_1', output: results, status },
  { type: 'reasoning', id: 'rs_1', content: parts, summary: parts, encrypted_content: 'E' },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'E', created_by: 'somebody' },
]

const tools = [{ type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: null }]
const full = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  completed_at: 2,
  status: 'completed',
  incomplete_details: { reason: 'max_output_tokens' },
  model: 'gpt-oss-20b',
  previous_response_id: null,
  instructions: 'I',
  output: items,
  error: { code: 'server_error', message: 'M' },
  tools,
  tool_choice: 'auto',
  truncation: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' }, verbosity: 'low' },
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  temperature: 1,
  reasoning: { effort: 'low', summary: 'auto' },
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
  max_output_tokens: 1,
  max_tool_calls: null,
  store: true,
  background: false,
  service_tier: 'default',
  metadata: {},
  safety_identifier: null,
  prompt_cache_key: 'K',
}

/** Responses that say the same otherwise, and those of which nothing is there yet. */
const responses = [
  full,
  {
    ...full,
    completed_at: null,
    incomplete_details: null,
    instructions: null,
    error: null,
    reasoning: null,
    usage: null,
    max_output_tokens: null,
    max_tool_calls: 1,
    safety_identifier: 'S',
    prompt_cache_key: null,
    previous_response_id: 'resp_0',
    tools: [{ ...tools[0], description: 'D', parameters: null, strict: true }],
    tool_choice: { type: 'function', name: 'f' },
    text: { format: { type: 'json_object' } },
  },
  {
    ...full,
    reasoning: { effort: null, summary: null },
    tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }], mode: 'required' },
    text: { format: { type: 'json_schema', name: 'N', description: null, schema: null, strict: true } },
  },
  { ...full, text: { format: { type: 'json_schema', name: 'N', description: 'D', schema: null, strict: false } } },
]

const sequence_number = 7
const ofItem = { sequence_number, item_id: 'msg_1', output_index: 0 }
const ofPart = { ...ofItem, content_index: 0 }
const ofSummary = { ...ofItem, summary_index: 0 }
const hidden = { delta: 'D', obfuscation: 'O' }

const [onePart] = parts
const bare = { ...full, output: [], tools: [] }

/** At least one event of each type; what is the same in several of them stands whole in one. */
export const openResponsesSpecimens: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  ...responses.map((response, at) => ({
    type: 'response.completed',
    sequence_number,
    response: at === 0 ? response : { ...response, output: [] },
  })),
  ...['created', 'queued', 'in_progress', 'incomplete', 'failed'].map((moment) => ({
    type: `response.${moment}`,
    sequence_number,
    response: bare,
  })),
  ...[...items, null].map((item) => ({ type: 'response.output_item.done', sequence_number, output_index: 0, item })),
  ...[items[1], null].map((item) => ({ type: 'response.output_item.added', sequence_number, output_index: 0, item })),
  ...parts.map((part) => ({ type: 'response.content_part.done', ...ofPart, part })),
  { type: 'response.content_part.added', ...ofPart, part: onePart },
  { type: 'response.reasoning_summary_part.added', ...ofSummary, part: onePart },
  { type: 'response.reasoning_summary_part.done', ...ofSummary, part: onePart },
  { type: 'response.output_text.delta', ...ofPart, ...hidden, logprobs: [logprob] },
  { type: 'response.output_text.done', ...ofPart, text: 'T', logprobs: [logprob] },
  { type: 'response.output_text.annotation.added', ...ofPart, annotation_index: 0, annotation: citation },
  { type: 'response.output_text.annotation.added', ...ofPart, annotation_index: 0, annotation: null },
  { type: 'response.refusal.delta', ...ofPart, delta: 'D' },
  { type: 'response.refusal.done', ...ofPart, refusal: 'R' },
  { type: 'response.reasoning.delta', ...ofPart, ...hidden },
  { type: 'response.reasoning.done', ...ofPart, text: 'T' },
  { type: 'response.reasoning_summary_text.delta', ...ofSummary, ...hidden },
  { type: 'response.reasoning_summary_text.done', ...ofSummary, text: 'T' },
  { type: 'response.function_call_arguments.delta', ...ofItem, ...hidden },
  { type: 'response.function_call_arguments.done', ...ofItem, arguments: '{}' },
  { type: 'error', sequence_number, error: { type: 'T', code: null, message: 'M', param: null, headers: { a: 'b' } } },
  { type: 'error', sequence_number, error: { type: 'T', code: 'C', message: 'M', param: 'P' } },
]
