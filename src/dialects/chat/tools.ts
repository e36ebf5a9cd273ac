import { unknownToolTypes } from '../../core/response-object/tool-fields.js'
import { type Fields, isFields } from '../../shared/fields.js'
import { invalidType, invalidValue } from '../../shared/request-error.js'
import { fieldOf, objectAt, objectIn, objectsAt, textIn } from '../../shared/request-fields.js'
import { renamed } from '../body/renamed.js'
import type { Draft } from './draft.js'

const FUNCTION = { name: 'name', description: 'description', parameters: 'parameters', strict: 'strict' } as const
const CUSTOM = { name: 'name', description: 'description' } as const
const TYPES = ['function', 'custom'] as const

/** The places of a tool's fields in the body, by its type. */
const WITHIN = {
  function: {
    name: 'function.name',
    description: 'function.description',
    parameters: 'function.parameters',
    strict: 'function.strict',
  },
  custom: {
    name: 'custom.name',
    description: 'custom.description',
    'format.type': 'custom.format.type',
    'format.syntax': 'custom.format.grammar.syntax',
    'format.definition': 'custom.format.grammar.definition',
    format: 'custom.format',
  },
} as const

/** Reads `tools`. @throws RequestError */
export function readTools(value: unknown, draft: Draft): void {
  for (const [index, tool] of objectsAt(value, 'tools').entries()) {
    const at = `tools[${index}]`
    const type = textIn(tool, 'type', at)
    if (type !== 'function' && type !== 'custom') {
      // A tool of another API is a mistake, in place of one that nobody knows.
      if (unknownToolTypes([{ type }]).size === 0) throw invalidValue(`${at}.type`, type, TYPES)
      draft.skipContent(at, type, TYPES)
      continue
    }
    const declared = objectIn(tool, type, at)
    if (type === 'function') draft.tools.push(functionOf(declared))
    else draft.tools.push({ type, ...renamed(declared, CUSTOM), ...formatOf(declared, `${at}.custom`) })
    draft.origins.add('tools', { at, fields: WITHIN[type] })
  }
}

/** Maps a function, which is not strict by default in Chat Completions. */
function functionOf(declared: Fields): object {
  return { type: 'function', ...renamed(declared, FUNCTION), strict: fieldOf(declared, 'strict') ?? false }
}

/** Maps the format of a custom tool's input: in Chat Completions, the grammar is a nested object. */
function formatOf(declared: Fields, param: string): { format?: object } {
  if (fieldOf(declared, 'format') === undefined) return {}
  const format = objectIn(declared, 'format', param)
  const type = textIn(format, 'type', `${param}.format`)
  if (type !== 'grammar') return { format: { type } }
  const grammar = objectIn(format, 'grammar', `${param}.format`)
  return { format: { type, ...renamed(grammar, { syntax: 'syntax', definition: 'definition' }) } }
}

/** Reads `functions`, the form before `tools`. @throws RequestError */
export function readFunctions(value: unknown, draft: Draft): void {
  for (const [index, declared] of objectsAt(value, 'functions').entries()) {
    draft.tools.push(functionOf(declared))
    draft.origins.add('tools', { at: `functions[${index}]` })
  }
  draft.answer = { ...draft.answer, calls: 'function_call' }
}

/** Reads `web_search_options`, which declares the search that is a tool of the Responses API. @throws RequestError */
export function readWebSearch(value: unknown, draft: Draft): void {
  const options = objectAt(value, 'web_search_options')
  const location = fieldOf(options, 'user_location')
  const tool: { [field: string]: unknown } = { type: 'web_search' }
  Object.assign(tool, renamed(options, { search_context_size: 'search_context_size' }))
  if (location !== undefined) {
    const at = 'web_search_options.user_location'
    const place = objectIn(objectAt(location, at), 'approximate', at)
    const names = { city: 'city', country: 'country', region: 'region', timezone: 'timezone' }
    tool['user_location'] = { type: 'approximate', ...renamed(place, names) }
  }
  draft.tools.push(tool)
  const fields = { user_location: 'user_location.approximate' }
  draft.origins.add('tools', { at: 'web_search_options', fields })
}

/** Reads `tool_choice`. @throws RequestError */
export function readToolChoice(value: unknown, draft: Draft): void {
  if (!isFields(value)) draft.put('tool_choice', value)
  else if (value['type'] === 'allowed_tools') readAllowedTools(value, draft)
  else {
    const tool = namedTool(value, 'tool_choice', ['allowed_tools'])
    draft.put('tool_choice', tool)
    draft.origins.rename('tool_choice.name', `tool_choice.${tool.type}.name`)
  }
}

function readAllowedTools(value: Fields, draft: Draft): void {
  const allowed = objectIn(value, 'allowed_tools', 'tool_choice')
  const path = 'tool_choice.allowed_tools.tools'
  const tools = objectsAt(fieldOf(allowed, 'tools') ?? [], path).map((tool, at) =>
    namedTool(tool, `${path}[${at}]`, []),
  )
  draft.put('tool_choice', { type: 'allowed_tools', ...renamed(allowed, { mode: 'mode' }), tools })
  draft.origins.rename('tool_choice.mode', 'tool_choice.allowed_tools.mode')
  draft.origins.rename('tool_choice.tools', path)
}

interface NamedTool {
  readonly type: 'function' | 'custom'
  readonly name: string
}

/** Maps a tool that is chosen by name. */
function namedTool(tool: Fields, at: string, others: readonly string[]): NamedTool {
  const type = typeIn(tool, at, others)
  return { type, name: textIn(objectIn(tool, type, at), 'name', `${at}.${type}`) }
}

function typeIn(tool: Fields, at: string, others: readonly string[]): (typeof TYPES)[number] {
  const type = textIn(tool, 'type', at)
  if (type === 'function' || type === 'custom') return type
  throw invalidValue(`${at}.type`, type, [...TYPES, ...others])
}

/** Reads `function_call`, the form before `tool_choice`. @throws RequestError */
export function readFunctionChoice(value: unknown, draft: Draft): void {
  if (value !== 'none' && value !== 'auto' && !isFields(value)) {
    throw typeof value === 'string'
      ? invalidValue('function_call', value, ['none', 'auto'])
      : invalidType('function_call', "one of an object or one of 'none' or 'auto'", value)
  }
  if (Object.hasOwn(draft.request, 'tool_choice')) return
  const choice = isFields(value) ? { type: 'function', name: textIn(value, 'name', 'function_call') } : value
  draft.put('tool_choice', choice, 'function_call')
}
