import { plainCopy } from '../../shared/plain-copy.js'
import { withConversationSettings } from '../recipients/conversation-settings.js'
import { DECLARING, withConversationTools } from '../recipients/conversation-tools.js'
import { lookUp } from '../recipients/policy.js'
import { undatedType } from '../recipients/undated-type.js'
import type { ResponseRequest } from '../responses/request.js'
import { ECHO } from './request-echo.js'
import { TOOL_FIELDS } from './tool-fields.js'

/** The retained request fields: those that the response echoes or that affect the stream. */
const KEPT: readonly string[] = [...Object.keys(ECHO), 'prompt_cache_options', 'include', 'enable_response_messages']

/**
 * Copies the retained request fields, with the tools and settings that its conversation declares. No echo, record or
 * snapshot may contain a token, a header's value or a container's secrets.
 *
 * @throws HarmonyResponsesError `bad_option` if the request is not plain data
 */
export function withoutSecrets(given: ResponseRequest): ResponseRequest {
  const { input: _, ...request } = withConversationTools(withConversationSettings(given)).request
  const copy = pick(KEPT, plainCopy('request', request))
  for (const field of ['tools', 'tool_choice']) if (field in copy) copy[field] = echoed(field, copy[field])
  return copy
}

/** Returns an item without the secrets of the tools that it has. */
export function itemWithoutSecrets<Item extends object>(item: Item): Item {
  const { type, tools } = item as { readonly type?: unknown; readonly tools?: unknown }
  return DECLARING.has(type) ? { ...item, tools: echoed('tools', tools) } : item
}

/**
 * Returns the echoed value of a tool's field, or of a field inside it. Schemas are not secret and are echoed
 * completely.
 */
function echoed(field: string, value: unknown): unknown {
  if (field === 'headers') return null
  if (field === 'server_url') return typeof value === 'string' ? withoutCredentials(value) : null
  if (Object(value) !== value || field === 'parameters' || field === 'output_schema') return value
  if (Array.isArray(value)) return value.map((each) => echoed(field, each))
  const isTool = field === 'tools'
  const of = isTool ? undatedType(String((value as { type?: unknown }).type)) : field
  const names = ['type name', lookUp(isTool ? TOOL_FIELDS.tools : TOOL_FIELDS.objects, of)].join(' ').trim().split(' ')
  const copy = pick(names, value as object)
  for (const [inner, held] of Object.entries(copy)) copy[inner] = echoed(inner, held)
  return copy
}

function pick(names: readonly string[], value: object): { [field: string]: unknown } {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

/** Strips the parts of a URL that may hold credentials: user and password, query and fragment. */
function withoutCredentials(url: string): string {
  // Browsers and fetch ignore tabs and line breaks.
  return url.replace(/[\t\n\r]|[?#].*/gs, '').replace(/^([^@\\/]*:[\\/]+)?[^\\/]*@/, '$1')
}
