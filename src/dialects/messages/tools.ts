import type { Fields } from '../../shared/fields.js'
import { invalidValue, RequestError, unsupported } from '../../shared/request-error.js'
import {
  fieldOf,
  flagIn,
  objectAt,
  objectsAt,
  optionalIntegerIn,
  optionalTextIn,
  textIn,
  textsIn,
} from '../../shared/request-fields.js'
import { renamed } from '../body/renamed.js'
import type { Draft } from './draft.js'
import { readToolset } from './mcp-servers.js'

const FUNCTION = { name: 'name', description: 'description', input_schema: 'parameters' } as const
const FIELDS = { parameters: 'input_schema' } as const
/** All versions are the host's search. */
const SEARCH = /^web_search_\d{8}$/
/** All versions are the host's Python. */
const CODE = /^code_execution_\d{8}$/
/** The search for deferred tools, by the server. */
const TOOL_SEARCH = /^tool_search_tool_[a-z\d]+_\d{8}$/
/** Other tools that a server of the API would run. Here nobody does. */
const SERVED = /^(?:web_fetch|advisor)_\d{8}$/
/** Tools whose parameters only the API's own models know, and which the client runs. */
const CLIENTS = /^(?:bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d{8}$/
const TYPES = ['custom', 'web_search_20250305', 'code_execution_20250522', 'mcp_toolset'] as const

/** Reads `tools`. @throws RequestError */
export function readTools(value: unknown, draft: Draft): void {
  const tools = objectsAt(value, 'tools')
  // Nobody searches for deferred tools here, so the model is told about all of them.
  const isSearched = tools.some(({ type }) => typeof type === 'string' && TOOL_SEARCH.test(type))
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    const type = optionalTextIn(tool, 'type', at) ?? 'custom'
    const origin = { at, fields: FIELDS }
    const isDeferred = flagIn(tool, 'defer_loading', at) === true && !isSearched
    if (type === 'custom' && isDeferred) draft.defer(textIn(tool, 'name', at), functionOf(tool), origin)
    else if (type === 'custom') draft.addTool(functionOf(tool), origin)
    else if (SEARCH.test(type)) addSearch(tool, at, draft)
    else if (CODE.test(type)) addCode(at, draft)
    else if (type === 'mcp_toolset') readToolset(tool, at, draft)
    else if (TOOL_SEARCH.test(type) || SERVED.test(type)) draft.leaveOut(at, type)
    else if (CLIENTS.test(type)) throw unsupported(`${at}.type`, `tools of type '${type.slice(0, 60)}' are`, HINT)
    else draft.skipContent(at, type, TYPES)
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
  const maxSearches = optionalIntegerIn(tool, 'max_uses', at, 1)
  const domains = Object.fromEntries(
    DOMAINS.flatMap((name) => {
      const given = textsIn(tool, name, at)
      return given.length > 0 ? [[name, given]] : []
    }),
  )
  if (Object.keys(domains).length > 1) {
    const message = "'allowed_domains' and 'blocked_domains' exclude each other."
    throw new RequestError(message, { param: `${at}.blocked_domains`, code: 'invalid_value' })
  }
  if (maxSearches !== undefined) draft.answer = { ...draft.answer, maxSearches }
  for (const source of SOURCES) include(draft, source)
  const filters = Object.keys(domains).length > 0 && { filters: domains }
  const search = { type: 'web_search', ...(location !== undefined && { user_location: location }), ...filters }
  draft.addTool(search, { at, fields: Object.fromEntries(DOMAINS.map((name) => [`filters.${name}`, name])) })
}

/** Adds the host's Python. */
function addCode(at: string, draft: Draft): void {
  include(draft, 'code_interpreter_call.outputs')
  draft.addTool({ type: 'code_interpreter', container: { type: 'auto' } }, { at })
}

function include(draft: Draft, what: string): void {
  draft.put('include', [...(draft.request['include'] as readonly string[]), what])
}

/** The pages of a search with their titles. */
const SOURCES = ['web_search_call.action.sources', 'web_search_call.results'] as const
const DOMAINS = ['allowed_domains', 'blocked_domains'] as const

/** Reads `tool_choice`. @throws RequestError */
export function readToolChoice(value: unknown, draft: Draft): void {
  const choice = objectAt(value, 'tool_choice')
  const type = textIn(choice, 'type', 'tool_choice')
  const known = Object.hasOwn(CHOICES, type) ? CHOICES[type as keyof typeof CHOICES] : undefined
  if (known === undefined && type !== 'tool') {
    throw invalidValue('tool_choice.type', type, [...Object.keys(CHOICES), 'tool'])
  }
  draft.put('tool_choice', known ?? namedTool(choice, draft))
  const isSingle = flagIn(choice, 'disable_parallel_tool_use', 'tool_choice')
  if (isSingle === true) draft.put('parallel_tool_calls', false, 'tool_choice.disable_parallel_tool_use')
}

/** Maps the tool that has to be called. A deferred one is taught from the beginning, unless a result has named it. */
function namedTool(choice: Fields, draft: Draft): object {
  const name = textIn(choice, 'name', 'tool_choice')
  draft.load(name)
  const tools = draft.tools as readonly { readonly type: string; readonly name?: unknown }[]
  const type = Object.hasOwn(HOSTED, name) ? HOSTED[name as keyof typeof HOSTED] : undefined
  const isHosted = !tools.some((tool) => tool.name === name) && tools.some((tool) => tool.type === type)
  return isHosted ? { type } : { type: 'function', name }
}

/** The host's tools by their names in this API. */
const HOSTED = { web_search: 'web_search', code_execution: 'code_interpreter' } as const

const CHOICES = { auto: 'auto', any: 'required', none: 'none' } as const
