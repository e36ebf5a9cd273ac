import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { resolvePolicy } from '../../../src/core/recipients/policy.js'
import type { Recipient } from '../../../src/core/recipients/recipient.js'
import type { UnknownTool } from '../../../src/core/responses/request.js'

/** A recipient in a line: `mcp_call github / search`, `function_call bash (undeclared)`. */
export function spell(recipient: Recipient): string {
  switch (recipient.kind) {
    case 'message':
      return `message ${recipient.phase}`
    case 'function_call':
      return `function_call ${within(recipient)}${recipient.declared ? '' : ' (undeclared)'}`
    case 'custom_tool_call':
      return `custom_tool_call ${within(recipient)}`
    case 'mcp_call':
      return `mcp_call ${recipient.serverLabel} / ${recipient.name}${recipient.available ? '' : ' (unavailable)'}`
    case 'web_search_call':
      return `web_search_call ${recipient.action}`
    case 'mcp_approval_request':
      return `mcp_approval_request ${recipient.serverLabel} / ${recipient.name}`
    case 'shell_call':
      return `shell_call ${recipient.environment}`
    default:
      return recipient.kind
  }
}

/** `NAMESPACE / NAME`, or the name alone. */
function within({ name, namespace }: { name: string; namespace?: string }): string {
  return namespace === undefined ? name : `${namespace} / ${name}`
}

export type Preset = Parameters<typeof resolvePolicy>[0]

/** The classified recipient under the request's tools, in a line. */
export function classified(recipient: string | undefined, tools: UnknownTool[] = [], preset?: Preset): string {
  return spell(classifyRecipient(recipient, 'commentary', declareTools(tools), resolvePolicy(preset)))
}
