import type { ResponseRequest } from '../responses/request.js'
import type { EchoedTool, RequestEcho, Response, ResponseError, ResponseStatus } from '../responses/response.js'
import { copyOf } from './copy-of.js'

/** The progress of a response. Plain data; replaced, never mutated. */
export interface ResponseProgress {
  readonly status: ResponseStatus
  /** Unix time in whole seconds. */
  readonly completedAt: number | null
  readonly error: ResponseError | null
  readonly incompleteReason: 'max_output_tokens' | 'content_filter' | null
}

/** The progress of a new response. */
export const IN_PROGRESS: ResponseProgress = {
  status: 'in_progress',
  completedAt: null,
  error: null,
  incompleteReason: null,
}

/** The part of a translator's state that describes its response. */
export interface ResponseState {
  readonly responseId: string
  readonly createdAt: number
  readonly request: ResponseRequest
  progress: ResponseProgress
}

/**
 * The current response object, as a detached value. Request fields that it echoes have OpenAI's defaults, because Open
 * Responses requires every field. Written as one literal: V8 turns objects that are built field by field into slow hash
 * tables.
 *
 * @param store - the value to echo if the request does not set `store`
 */
export function responseOf(
  { responseId, createdAt, request, progress }: ResponseState,
  store: boolean,
  made: Pick<Response, 'output' | 'usage' | 'input_messages' | 'output_messages'>,
): Response {
  const { status, completedAt, error, incompleteReason } = progress
  const asked = copyOf(request) as Partial<RequestEcho>
  return {
    id: responseId,
    object: 'response',
    created_at: createdAt,
    status,
    completed_at: completedAt,
    error: copyOf(error),
    incomplete_details: incompleteReason && { reason: incompleteReason },
    background: asked.background ?? false,
    frequency_penalty: asked.frequency_penalty ?? 0,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    max_tool_calls: asked.max_tool_calls ?? null,
    metadata: asked.metadata ?? {},
    model: asked.model ?? 'gpt-oss',
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    presence_penalty: asked.presence_penalty ?? 0,
    previous_response_id: asked.previous_response_id ?? null,
    prompt_cache_key: asked.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...asked.reasoning },
    safety_identifier: asked.safety_identifier ?? null,
    // "auto" is valid only in requests; responses name the actual tier.
    service_tier: asked.service_tier === 'auto' ? 'default' : (asked.service_tier ?? 'default'),
    store: asked.store ?? store,
    temperature: asked.temperature ?? 1,
    text: { ...asked.text, format: echoFormat(asked.text?.format ?? { type: 'text' }) },
    tool_choice: asked.tool_choice ?? 'auto',
    tools: (asked.tools ?? []).map(echoTool),
    top_logprobs: asked.top_logprobs ?? 0,
    top_p: asked.top_p ?? 1,
    truncation: asked.truncation ?? 'disabled',
    user: asked.user ?? null,
    ...made,
    access_programs: null,
  }
}

/** Adds all fields that OpenAI echoes and Open Responses requires. */
function echoFormat(format: { readonly type: string; readonly strict?: boolean | null }): { type: 'text' } {
  const isSchema = format.type === 'json_schema'
  return (isSchema ? { description: null, ...format, strict: format.strict ?? false } : format) as { type: 'text' }
}

function echoTool(tool: Record<string, unknown>): EchoedTool {
  if (tool['type'] !== 'function') return tool as EchoedTool
  return { description: null, parameters: null, strict: null, ...tool } as EchoedTool
}
