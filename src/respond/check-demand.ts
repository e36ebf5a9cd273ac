import { toolSelection } from '../prompt/allowed-tools.js'
import { type Fields, fieldOf } from '../prompt/fields.js'
import { listingsWith } from '../prompt/read-input.js'
import type { TaughtTools } from '../prompt/taught-tools.js'
import { builtinOf, replacedByServer } from '../recipients/builtin-tools.js'
import { classifyRecipient } from '../recipients/classify.js'
import { listOf, RequestError } from '../request-error.js'
import type { ResponseRequest } from '../responses/request.js'
import { recipientsOf, type Teaching, taughtTools } from './callees.js'

/**
 * Checks that the call which `tool_choice` demands can be made: before anything is sampled, since a header that nothing
 * can follow would be left.
 *
 * @throws RequestError if nothing runs what it demands
 */
export function checkDemand(request: ResponseRequest, teaching: Teaching): void {
  const { tools, tool_choice: choice } = request
  if (choice == null || choice === 'none' || choice === 'auto' || (tools ?? []).length === 0) return
  const { type = '', mode } = Object(choice) as { readonly type?: string; readonly mode?: string }
  if (choice === 'required' || (type === 'allowed_tools' && mode === 'required')) {
    const taught = taughtTools(request, teaching)
    if (recipientsOf(taught).length > 0 || hasUnlistedServer(request, teaching)) return
    const about = taught.untaught.length === 0 ? '' : ` (${listOf(taught.untaught, 'and')})`
    throw refusal(`a call is required, and none of the tools that may be called${about} is`)
  }
  if (type === 'allowed_tools' || type === 'function' || type === 'custom') return
  if (type === 'mcp') checkServer(request, teaching)
  else checkBuiltin(type, taughtTools(request, teaching))
}

function checkBuiltin(type: string, { builtins }: TaughtTools): void {
  const builtin = builtinOf(type)
  if (builtin === undefined || !builtins.has(builtin)) throw refusal(`the tool '${type}' is not`)
}

/** Whether the server has a tool that the choice may mean. */
function checkServer(request: ResponseRequest, teaching: Teaching): void {
  const { server_label: label, name } = request.tool_choice as { server_label?: string | null; name?: string | null }
  if (hasUnlistedServer(request, teaching, label ?? undefined)) return
  const taught = taughtTools(request, teaching)
  const isMeant = recipientsOf(taught).some((recipient) => {
    const callee = classifyRecipient(recipient, undefined, taught.declared, taught.policy)
    const isMcp = callee.kind === 'mcp_call' || callee.kind === 'mcp_approval_request'
    return isMcp && (label == null || callee.serverLabel === label) && (name == null || callee.name === name)
  })
  if (isMeant) return
  const server = `the MCP server${label == null ? '' : ` '${label}'`}`
  throw refusal(name == null ? `${server} is not` : `the tool '${name}' of ${server} is not`)
}

/** Whether a server that may be called has no list, so that its tools are not known. */
function hasUnlistedServer(request: ResponseRequest, teaching: Teaching, wanted?: string): boolean {
  const isAllowed = toolSelection(request as Fields)
  const listed = new Set(listingsWith(request.input, teaching.listings).map(({ serverLabel }) => serverLabel))
  return (request.tools as readonly Fields[]).some((tool) => {
    const label = fieldOf(tool, 'server_label')
    if (tool['type'] !== 'mcp' || typeof label !== 'string' || listed.has(label)) return false
    // What replaces a built-in tool is taught as that.
    if (replacedByServer(label) !== undefined && wanted === undefined) return false
    return (wanted === undefined || label === wanted) && isAllowed({ type: 'mcp', label })
  })
}

/** @param what - `the tool 'web_search' is not` */
function refusal(what: string): RequestError {
  const param = 'tool_choice'
  const message = `Unsupported value: '${param}': ${what} available on this server.`
  return new RequestError(message, { param, code: 'unsupported_value' })
}
