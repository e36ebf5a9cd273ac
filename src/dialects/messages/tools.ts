import type { Fields } from '../../shared/fields.js'
import { invalidType, invalidValue, outOfRange, unsupported } from '../../shared/request-error.js'
import { fieldOf, objectAt, optionalTextIn, textIn } from '../../shared/request-fields.js'
import { flagAt, objectsAt, renamed } from '../body/read.js'
import type { Draft } from './draft.js'
import { readToolset } from './mcp-servers.js'

const FUNCTION = { name: 'name', description: 'description', input_schema: 'parameters' } as const
const FIELDS = { parameters: 'input_schema' } as const
const SEARCH = 'web_search_20250305'

/** Reads `tools`. @throws RequestError */
export function readTools(value: unknown, draft: Draft): void {
  for (const [index, tool] of objectsAt(value, 'tools').entries()) {
    const at = `tools[${index}]`
    const type = optionalTextIn(tool, 'type', at) ?? 'custom'
    const origin = { at, fields: FIELDS }
    if (type === 'custom' && flagAt(fieldOf(tool, 'defer_loading'), `${at}.defer_loading`) === true) {
      draft.defer(textIn(tool, 'name', at), functionOf(tool), origin)
    } else if (type === 'custom') draft.addTool(functionOf(tool), origin)
    else if (type === SEARCH) addSearch(tool, at, draft)
    else if (type === 'mcp_toolset') readToolset(tool, at, draft)
    else if (type.startsWith('web_search_')) throw invalidValue(`${at}.type`, type, ['custom', SEARCH])
    else throw unsupported(`${at}.type`, `tools of type '${type.slice(0, 60)}' are`, HINT)
  }
}

const HINT = 'gpt-oss knows none of these: declare a tool of your own, with an input_schema.'

/** Maps a function, which is not strict by default. */
function functionOf(tool: Fields): object {
  return { type: 'function', ...renamed(tool, FUNCTION), strict: fieldOf(tool, 'strict') ?? false }
}

/** Adds the host's search. @throws RequestError */
function addSearch(tool: Fields, at: string, draft: Draft): void {
  const location = fieldOf(tool, 'user_location')
  const most = fieldOf(tool, 'max_uses')
  const allowed = domainsAt(tool, 'allowed_domains', at)
  const blocked = domainsAt(tool, 'blocked_domains', at)
  if (blocked.length > 0)
    throw unsupported(`${at}.blocked_domains`, 'domains to leave out are', "Name 'allowed_domains'.")
  if (most !== undefined) {
    if (!Number.isInteger(most)) throw invalidType(`${at}.max_uses`, 'an integer', most)
    if ((most as number) < 1) throw outOfRange(`${at}.max_uses`, 'integer', { least: 1 }, most as number)
    draft.answer = { ...draft.answer, maxSearches: most as number }
  }
  draft.put('include', [...(draft.request['include'] as readonly string[]), 'web_search_call.action.sources'])
  const filters = allowed.length > 0 && { filters: { allowed_domains: allowed } }
  const search = { type: 'web_search', ...(location !== undefined && { user_location: location }), ...filters }
  draft.addTool(search, { at, fields: { 'filters.allowed_domains': 'allowed_domains' } })
}

function domainsAt(tool: Fields, name: string, at: string): readonly string[] {
  const value = fieldOf(tool, name) ?? []
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw invalidType(`${at}.${name}`, 'an array of strings', value)
}

/** Reads `tool_choice`. @throws RequestError */
export function readToolChoice(value: unknown, draft: Draft): void {
  const choice = objectAt(value, 'tool_choice')
  const type = textIn(choice, 'type', 'tool_choice')
  const known = Object.hasOwn(CHOICES, type) ? CHOICES[type as keyof typeof CHOICES] : undefined
  if (known === undefined && type !== 'tool') {
    throw invalidValue('tool_choice.type', type, [...Object.keys(CHOICES), 'tool'])
  }
  draft.put('tool_choice', known ?? namedTool(choice, draft))
  const isSingle = flagAt(fieldOf(choice, 'disable_parallel_tool_use'), 'tool_choice.disable_parallel_tool_use')
  if (isSingle === true) draft.put('parallel_tool_calls', false, 'tool_choice.disable_parallel_tool_use')
}

/** Maps the tool that has to be called. A deferred one is taught from the beginning, unless a result has named it. */
function namedTool(choice: Fields, draft: Draft): object {
  const name = textIn(choice, 'name', 'tool_choice')
  draft.load(name)
  const tools = draft.tools as readonly { readonly type: string; readonly name?: unknown }[]
  const isSearch = name === 'web_search' && !tools.some((tool) => tool.name === name)
  return isSearch && tools.some(({ type }) => type === name) ? { type: name } : { type: 'function', name }
}

const CHOICES = { auto: 'auto', any: 'required', none: 'none' } as const
