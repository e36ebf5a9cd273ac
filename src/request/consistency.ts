import { undatedType } from '../recipients/undated-type.js'
import {
  mutuallyExclusive,
  propertyNameTooLong,
  RequestError,
  stringTooLong,
  tooManyProperties,
} from '../request-error.js'
import type { ParsedRequest } from '../responses/parsed-request.js'
import type { NamedTool } from '../responses/request-parameters.js'
import type { RequestTool } from '../responses/request-tools.js'

/**
 * Checks rules that involve several parameters.
 *
 * @throws RequestError
 */
export function checkConsistency(request: ParsedRequest): void {
  checkMetadata(request)
  checkNames(request.tools ?? [], 'tools')
  checkToolChoice(request)
  if (request.previous_response_id !== undefined && request.conversation !== undefined) {
    throw mutuallyExclusive(['previous_response_id', 'conversation'])
  }
  if (request.background === true && request.store === false) {
    throw new RequestError("Background responses require 'store' to be true.", {
      param: 'background',
      code: 'invalid_value',
    })
  }
  const { input = request.previous_response_id ?? request.conversation } = request
  if (input === undefined && request.generate !== false) {
    const what = `One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided.`
    throw new RequestError(what, { code: 'missing_required_parameter' })
  }
}

function checkMetadata({ metadata = {} }: ParsedRequest): void {
  const entries = Object.entries(metadata)
  if (entries.length > 16) throw tooManyProperties('metadata', 16, entries.length)
  for (const [name, value] of entries) {
    if (name.length > 64) throw propertyNameTooLong('metadata', name, 64)
    if (value.length > 512) throw stringTooLong(`metadata.${name}`, 512, value.length)
  }
}

/** Rejects two tools of one name: a call identifies its tool by name alone. */
function checkNames(tools: readonly RequestTool[], path: string): void {
  const known = new Map<string, Set<string>>()
  const add = (namespace: string, name: string, at: string): void => {
    const names = known.get(namespace) ?? new Set()
    known.set(namespace, names)
    if (names.has(name)) {
      const message = `Invalid '${at}.name': the tool name '${name}' is used more than once. Tool names must be unique.`
      throw new RequestError(message, { param: `${at}.name`, code: 'invalid_value' })
    }
    names.add(name)
  }
  for (const [index, tool] of tools.entries()) {
    const at = `${path}[${index}]`
    if (tool.type === 'function' || tool.type === 'custom') add('', tool.name, at)
    if (tool.type !== 'namespace') continue
    for (const [inner, member] of tool.tools.entries()) add(tool.name, member.name, `${at}.tools[${inner}]`)
  }
}

function checkToolChoice(request: ParsedRequest): void {
  const { tool_choice: choice } = request
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  const tools = [...(request.tools ?? []), ...toolsOfInput(request)]
  if (choice === 'required') {
    if (tools.length > 0) return
    throw toolChoiceError("Tool choice 'required' must be specified with 'tools' parameter.")
  }
  for (const named of choice.type === 'allowed_tools' ? choice.tools : [choice]) {
    if (!tools.some((tool) => isNamed(tool, named))) {
      throw toolChoiceError(`Tool choice '${named.type}' not found in 'tools' parameter.`)
    }
  }
}

function toolChoiceError(message: string): RequestError {
  return new RequestError(message, { param: 'tool_choice' })
}

/** Returns the tools that items of the conversation declare. */
function toolsOfInput({ input = [] }: ParsedRequest): RequestTool[] {
  if (typeof input === 'string') return []
  return input.flatMap((item) =>
    // Parsed already, in the same way as `tools`.
    item.type === 'additional_tools' || item.type === 'tool_search_output' ? (item.tools as RequestTool[]) : [],
  )
}

function isNamed(tool: RequestTool, named: NamedTool): boolean {
  switch (named.type) {
    case 'function':
    case 'custom':
      if (tool.type === 'namespace') return tool.tools.some((member) => isNamed(member, named))
      return tool.type === named.type && tool.name === named.name
    case 'mcp':
      return tool.type === 'mcp' && (named.server_label == null || tool.server_label === named.server_label)
    case 'computer_use':
      return tool.type === 'computer' || tool.type === 'computer_use_preview'
    default:
      return undatedType(tool.type) === undatedType(named.type)
  }
}
