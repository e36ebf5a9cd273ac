import { undatedType } from '../recipients/builtin-tools.js'
import { lookUp } from '../recipients/policy.js'
import type { ResponseRequest } from '../responses/request.js'
import { plainCopy } from './plain-copy.js'
import { TOOL_FIELDS } from './tool-fields.js'

/** The request fields that are kept: those that the response echoes or that affect the stream. */
const KEPT =
  'model tools include enable_response_messages background frequency_penalty instructions max_output_tokens ' +
  'max_tool_calls metadata parallel_tool_calls presence_penalty previous_response_id prompt_cache_key reasoning ' +
  'safety_identifier service_tier store temperature text tool_choice top_logprobs top_p truncation user'

/** The fields that are echoed of an object inside a tool, by the name of the field that holds it. */
const OBJECT_FIELDS: { readonly [field: string]: string } = {
  tool_choice: 'mode server_label tools',
  container: 'file_ids memory_limit network_policy',
  environment: 'container_id file_ids memory_limit network_policy skills',
  network_policy: 'allowed_domains',
  skills: 'description path skill_id version',
  require_approval: 'always never',
  always: 'tool_names read_only',
  never: 'tool_names read_only',
  allowed_tools: 'tool_names read_only',
  format: 'syntax definition',
  filters: 'key value filters allowed_domains',
  user_location: 'city country region timezone',
  ranking_options: 'ranker score_threshold hybrid_search',
  hybrid_search: 'embedding_weight text_weight',
  input_image_mask: 'file_id',
  svg: 'model reasoning',
  reasoning: 'effort',
}

/**
 * Copies the request fields that are kept. Nothing that is echoed, recorded or put into a snapshot may contain a token,
 * a header's value or a container's secrets.
 *
 * @throws HarmonyResponsesError `bad_option` if the request is not plain data
 */
export function withoutSecrets({ input: _, ...request }: ResponseRequest): ResponseRequest {
  const copy = pick(KEPT, plainCopy('request', request))
  for (const field of ['tools', 'tool_choice']) if (field in copy) copy[field] = echoed(field, copy[field])
  return copy
}

/** The echoed value of a tool's field, or of a field inside it. Schemas are not secret and are echoed completely. */
function echoed(field: string, value: unknown): unknown {
  if (field === 'headers') return null
  if (field === 'server_url') return typeof value === 'string' ? withoutCredentials(value) : null
  if (Object(value) !== value || field === 'parameters' || field === 'output_schema') return value
  if (Array.isArray(value)) return value.map((each) => echoed(field, each))
  const isTool = field === 'tools'
  const of = isTool ? undatedType(String((value as { type?: unknown }).type)) : field
  const copy = pick(['type name', lookUp(isTool ? TOOL_FIELDS : OBJECT_FIELDS, of)].join(' ').trim(), value as object)
  for (const [inner, held] of Object.entries(copy)) copy[inner] = echoed(inner, held)
  return copy
}

function pick(fields: string, value: object): { [field: string]: unknown } {
  const names = fields.split(' ')
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

/** A URL without the parts that may hold credentials: user and password, query and fragment. */
function withoutCredentials(url: string): string {
  // Browsers and fetch ignore tabs and line breaks.
  return url.replace(/[\t\n\r]|[?#].*/gs, '').replace(/^([^@\\/]*:[\\/]+)?[^\\/]*@/, '$1')
}
