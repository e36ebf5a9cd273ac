import type { ResponseRequest } from '../responses/request.js'
import type { EchoedTool, RequestEcho, Response, ResponseError, ResponseStatus } from '../responses/response.js'

/** How far a response is. Plain data; it is replaced, never changed. */
export interface ResponseProgress {
  readonly status: ResponseStatus
  /** Unix time in whole seconds. */
  readonly completedAt: number | null
  readonly error: ResponseError | null
  readonly incompleteReason: 'max_output_tokens' | 'content_filter' | null
}

/** What the response repeats of the request, with OpenAI's defaults. Open Responses requires every field. */
const DEFAULTS: RequestEcho = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: 'gpt-oss',
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** What a translator remembers of its response. */
export interface ResponseState {
  readonly responseId: string
  readonly createdAt: number
  readonly request: ResponseRequest
  progress: ResponseProgress
}

/** The response object as of now. Every call makes a detached value. */
export function responseOf(
  state: ResponseState,
  made: Pick<Response, 'output' | 'usage' | 'input_messages' | 'output_messages'>,
): Response {
  const echo = { ...DEFAULTS }
  for (const name of Object.keys(DEFAULTS) as (keyof RequestEcho)[])
    echo[name] = (state.request[name] ?? echo[name]) as never
  echo.reasoning = { ...DEFAULTS.reasoning, ...echo.reasoning }
  echo.text = { ...DEFAULTS.text, ...echo.text }
  echo.tools = echo.tools.map(echoTool)
  // "auto" asks; the response says which tier it was.
  if (echo.service_tier === 'auto') echo.service_tier = DEFAULTS.service_tier
  return {
    id: state.responseId,
    object: 'response',
    created_at: state.createdAt,
    status: state.progress.status,
    completed_at: state.progress.completedAt,
    error: state.progress.error && { ...state.progress.error },
    incomplete_details: state.progress.incompleteReason && { reason: state.progress.incompleteReason },
    ...structuredClone(echo),
    ...made,
    access_programs: null,
  }
}

function echoTool(tool: Record<string, unknown>): EchoedTool {
  if (tool['type'] !== 'function') return tool as EchoedTool
  return { description: null, parameters: null, strict: null, ...tool } as EchoedTool
}
