import type { OutputItem } from '../responses/items.js'
import type { ResponseRequest } from '../responses/request.js'
import type {
  EchoedTool,
  RequestEcho,
  Response,
  ResponseError,
  ResponseStatus,
  ResponseUsage,
} from '../responses/response.js'

/** How far a response is. Plain data; it is replaced, never changed. */
export interface ResponseProgress {
  readonly status: ResponseStatus
  /** Unix time in whole seconds. */
  readonly completedAt: number | null
  readonly error: ResponseError | null
  readonly incompleteReason: 'max_output_tokens' | 'content_filter' | null
}

/**
 * The request with every MCP server's secrets taken out, as a copy: nothing that is kept, echoed or written into a
 * snapshot may hold a token.
 */
export function withoutSecrets(request: ResponseRequest): ResponseRequest {
  const copy = structuredClone(request) as ResponseRequest & { tools?: Record<string, unknown>[] | null }
  for (const tool of Array.isArray(copy.tools) ? copy.tools : []) {
    if (tool?.['type'] !== 'mcp') continue
    delete tool['authorization']
    if ('headers' in tool) tool['headers'] = null
  }
  return copy
}

/** The response object as of now. Every call makes a detached value. */
export function responseOf(
  id: string,
  createdAt: number,
  progress: ResponseProgress,
  request: ResponseRequest,
  made: { readonly output: OutputItem[]; readonly usage: ResponseUsage | null },
): Response {
  const echo = echoOf(request)
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: progress.status,
    background: echo.background,
    completed_at: progress.completedAt,
    error: progress.error === null ? null : { ...progress.error },
    frequency_penalty: echo.frequency_penalty,
    incomplete_details: progress.incompleteReason === null ? null : { reason: progress.incompleteReason },
    instructions: echo.instructions,
    max_output_tokens: echo.max_output_tokens,
    max_tool_calls: echo.max_tool_calls,
    model: echo.model,
    output: made.output,
    parallel_tool_calls: echo.parallel_tool_calls,
    presence_penalty: echo.presence_penalty,
    previous_response_id: echo.previous_response_id,
    prompt_cache_key: echo.prompt_cache_key,
    reasoning: echo.reasoning,
    safety_identifier: echo.safety_identifier,
    service_tier: echo.service_tier,
    store: echo.store,
    temperature: echo.temperature,
    text: echo.text,
    tool_choice: echo.tool_choice,
    tools: echo.tools,
    top_logprobs: echo.top_logprobs,
    top_p: echo.top_p,
    truncation: echo.truncation,
    usage: made.usage,
    user: asString(request.user),
    metadata: echo.metadata,
    access_programs: null,
  }
}

/** What of a request the response repeats, with OpenAI's defaults where it says nothing. Open Responses requires all. */
function echoOf(request: ResponseRequest): RequestEcho {
  const given = structuredClone(request)
  const or = <T>(name: keyof ResponseRequest, otherwise: T): T => (given[name] ?? otherwise) as T
  const tier = or<RequestEcho['service_tier']>('service_tier', 'default')
  return {
    background: or('background', false),
    frequency_penalty: or('frequency_penalty', 0),
    instructions: or('instructions', null),
    max_output_tokens: or('max_output_tokens', null),
    max_tool_calls: or('max_tool_calls', null),
    metadata: or('metadata', {}),
    model: or('model', 'gpt-oss'),
    parallel_tool_calls: or('parallel_tool_calls', true),
    presence_penalty: or('presence_penalty', 0),
    previous_response_id: or('previous_response_id', null),
    prompt_cache_key: or('prompt_cache_key', null),
    reasoning: { effort: null, summary: null, ...or('reasoning', {}) },
    safety_identifier: or('safety_identifier', null),
    // "auto" asks; the response says which tier it was.
    service_tier: tier === 'auto' ? 'default' : tier,
    store: or('store', false),
    temperature: or('temperature', 1),
    text: { format: { type: 'text' }, ...or('text', {}) },
    tool_choice: or('tool_choice', 'auto'),
    tools: or<Record<string, unknown>[]>('tools', []).map(echoTool),
    top_logprobs: or('top_logprobs', 0),
    top_p: or('top_p', 1),
    truncation: or('truncation', 'disabled'),
  }
}

function echoTool(tool: Record<string, unknown>): EchoedTool {
  if (tool['type'] !== 'function') return tool as EchoedTool
  return { description: null, parameters: null, strict: null, ...tool } as EchoedTool
}

function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
