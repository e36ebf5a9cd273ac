import { toolLists } from '../../core/recipients/conversation-tools.js'
import { undatedType } from '../../core/recipients/undated-type.js'
import type { ParsedRequest } from '../../core/responses/parsed-request.js'
import type { NamedTool } from '../../core/responses/request-parameters.js'
import type { RequestTool } from '../../core/responses/request-tools.js'
import {
  mutuallyExclusive,
  propertyNameTooLong,
  RequestError,
  stringTooLong,
  tooManyProperties,
} from '../../shared/request-error.js'

/**
 * Checks rules that involve several parameters.
 *
 * @throws RequestError
 */
export function checkConsistency(request: ParsedRequest): void {
  checkMetadata(request)
  for (const { tools, path } of toolLists(request)) checkNames(tools as readonly RequestTool[], path)
  if (!hasOtherItems(request)) checkToolChoice(request)
  if (request.previous_response_id !== undefined && request.conversation !== undefined) {
    throw mutuallyExclusive(['previous_response_id', 'conversation'])
  }
  if (request.background === true && request.store === false) {
    throw new RequestError("Background responses require 'store' to be true.", {
      param: 'background',
      code: 'invalid_value',
    })
  }
  if (request.conversation !== undefined && request.store === false) {
    throw new RequestError("Responses of a conversation require 'store' to be true.", {
      param: 'conversation',
      code: 'invalid_value',
    })
  }
  const { completion_window: window = 'soonest' } = request.background_options ?? {}
  if (window !== 'soonest' && request.background !== true) {
    throw new RequestError(`The completion window '${window}' requires 'background' to be true.`, {
      param: 'background_options.completion_window',
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

/** Whether items that the request does not bring belong to its conversation. They may declare tools. */
export function hasOtherItems({ previous_response_id: previous, input = [] }: ParsedRequest): boolean {
  return previous !== undefined || (Array.isArray(input) && input.some(({ type }) => type === 'item_reference'))
}

/**
 * Checks that the tools which `tool_choice` names are declared.
 *
 * @param request - with its whole conversation
 * @throws RequestError
 */
export function checkToolChoice(request: ParsedRequest): void {
  const { tool_choice: choice } = request
  if (choice == null || choice === 'auto' || choice === 'none') return
  const declared = namesOf(toolLists(request).flatMap(({ tools }) => tools as readonly RequestTool[]))
  if (choice === 'required') {
    if (declared.size > 0) return
    throw toolChoiceError("Tool choice 'required' must be specified with 'tools' parameter.")
  }
  for (const named of choice.type === 'allowed_tools' ? choice.tools : [choice]) {
    if (!declared.has(nameOf(named))) {
      throw toolChoiceError(`Tool choice '${named.type}' not found in 'tools' parameter.`)
    }
  }
}

function toolChoiceError(message: string): RequestError {
  return new RequestError(message, { param: 'tool_choice' })
}

/** Returns all names by which a `tool_choice` may mean the tools. */
function namesOf(tools: readonly RequestTool[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const tool of tools) {
    names.add(nameOf(tool))
    if (tool.type === 'mcp') names.add(nameOf({ type: 'mcp' }))
    if (tool.type !== 'namespace') continue
    for (const member of tool.tools) names.add(nameOf(member))
  }
  return names
}

/** Returns what a `tool_choice` identifies a tool by: its name or its server, or its type alone. */
function nameOf(tool: RequestTool | NamedTool): string {
  const {
    type,
    name,
    server_label: label,
  } = tool as { readonly [field in 'name' | 'server_label']?: string } & NamedTool
  if (type === 'function' || type === 'custom') return JSON.stringify([type, name])
  if (type === 'mcp') return JSON.stringify([type, label ?? null])
  return type === 'computer' || type === 'computer_use_preview' ? 'computer_use' : undatedType(type)
}
