import { isFields } from '../../shared/fields.js'
import { copyOf } from '../responses/copy-of.js'
import type { ResponseRequest } from '../responses/request.js'
import type { PromptCacheOptions } from '../responses/request-parameters.js'
import type { EchoedTool, RequestEcho } from '../responses/response.js'

/**
 * The request fields that a response echoes, in its order, with OpenAI's defaults: Open Responses requires every field.
 */
export const ECHO: Readonly<RequestEcho> = {
  background: false,
  conversation: null,
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
  prompt_cache_retention: null,
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

const FIELDS: readonly string[] = /* @__PURE__ */ Object.keys(ECHO)

/**
 * Returns the request as a response echoes it, detached.
 *
 * @param store - the value to echo if the request does not set `store`
 */
export function echoOf(request: ResponseRequest, store: boolean): RequestEcho {
  const values = request as { [field: string]: unknown }
  const echo: RequestEcho = { ...ECHO }
  echo.store = store
  // One object of one hidden class: every response has three.
  // biome-ignore lint/plugin: Parsing the request has checked the types of its fields.
  const fields = echo as unknown as { [field: string]: unknown }
  for (const field of FIELDS) fields[field] = copyOf(values[field] ?? fields[field])
  echo.reasoning = { ...ECHO.reasoning, ...echo.reasoning }
  if (typeof fields['conversation'] === 'string') echo.conversation = { id: fields['conversation'] }
  const { prompt_cache_options: cache } = request
  if (isFields(cache)) echo.prompt_cache_options = echoCache(cache)
  // "auto" is valid only in requests; responses name the actual tier.
  if (echo.service_tier === 'auto') echo.service_tier = 'default'
  echo.text = { ...echo.text, format: echoFormat(echo.text.format ?? ECHO.text.format) }
  echo.tools = echo.tools.map(echoTool)
  return echo
}

/** `prewarm` is not echoed: it says what is generated. */
function echoCache({
  mode,
  ttl,
  comparison_response_id,
}: PromptCacheOptions): NonNullable<RequestEcho['prompt_cache_options']> {
  return {
    mode: mode ?? 'implicit',
    ttl: ttl ?? '30m',
    ...(comparison_response_id != null && { comparison_response_id }),
  }
}

/** Adds all fields that OpenAI echoes and Open Responses requires. */
function echoFormat(format: { readonly type: string; readonly strict?: boolean | null }): { type: 'text' } {
  const isSchema = format.type === 'json_schema'
  return (isSchema ? { description: null, ...format, strict: format.strict ?? false } : format) as { type: 'text' }
}

function echoTool(tool: EchoedTool): EchoedTool {
  return tool.type === 'function' ? { ...FUNCTION, ...tool } : tool
}

const FUNCTION = { description: null, parameters: null, strict: null }
