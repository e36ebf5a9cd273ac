import { replacedByServer } from '../../../core/recipients/builtin-tools.js'
import { classifyRecipient } from '../../../core/recipients/classify.js'
import type { DemandedCall } from '../../../core/recipients/tool-choice.js'
import { listOf, RequestError } from '../../../shared/request-error.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import { recipientsOf } from './callees.js'

/**
 * Checks that the call which `tool_choice` demands is possible. Runs before anything is sampled, which would leave a
 * header that nothing can follow.
 *
 * @throws RequestError if nothing runs what it demands
 */
export function checkDemand(tools: TaughtTools): void {
  const { demand } = tools
  switch (demand?.of) {
    case 'any': {
      if (recipientsOf(tools).length > 0 || hasUnlistedServer(tools)) return
      const about = tools.untaught.length === 0 ? '' : ` (${listOf(tools.untaught, 'and')})`
      throw refusal(`a call is required, and none of the tools that may be called${about} is`)
    }
    case 'server':
    case 'server_tool':
      checkServer(demand, tools)
      break
    case 'builtin':
      if (demand.builtin === undefined || !tools.builtins.has(demand.builtin)) {
        throw refusal(`the tool '${demand.type}' is not`)
      }
  }
}

/** Whether the server has a tool that matches the choice. */
function checkServer(demand: Extract<DemandedCall, { of: 'server' | 'server_tool' }>, tools: TaughtTools): void {
  const { label } = demand
  const name = demand.of === 'server' ? undefined : demand.name
  if (hasUnlistedServer(tools, label)) return
  const isMeant = recipientsOf(tools).some((recipient) => {
    const callee = classifyRecipient(recipient, undefined, tools.declared, tools.policy)
    const isMcp = callee.kind === 'mcp_call' || callee.kind === 'mcp_approval_request'
    return (
      isMcp && (label === undefined || callee.serverLabel === label) && (name === undefined || callee.name === name)
    )
  })
  if (isMeant) return
  const server = `the MCP server${label === undefined ? '' : ` '${label}'`}`
  throw refusal(name === undefined ? `${server} is not` : `the tool '${name}' of ${server} is not`)
}

/** Whether an allowed server has no listing, so that its tools are unknown. */
function hasUnlistedServer({ declared, listings, choice }: TaughtTools, demandedLabel?: string): boolean {
  const listed = new Set(listings.map(({ serverLabel }) => serverLabel))
  return [...declared.mcpServers.keys()].some((label) => {
    if (listed.has(label)) return false
    // A replacement of a built-in tool is taught as that tool.
    if (replacedByServer(label) !== undefined && demandedLabel === undefined) return false
    return (demandedLabel === undefined || label === demandedLabel) && choice.isAllowed({ type: 'mcp', label })
  })
}

/** @param what - `the tool 'web_search' is not` */
function refusal(what: string): RequestError {
  const param = 'tool_choice'
  const message = `Unsupported value: '${param}': ${what} available on this server.`
  return new RequestError(message, { param, code: 'unsupported_value' })
}
