import { type BuiltinTool, builtinNamed, builtinOfItem } from '../../../core/recipients/builtin-tools.js'
import { classifyRecipient } from '../../../core/recipients/classify.js'
import type { DemandedCall } from '../../../core/recipients/tool-choice.js'
import { type Constraint, constraintKind, type EngineCapabilities } from '../../../engines/contract/constraint.js'
import { atOnce } from '../../../shared/slices.js'
import { builtinNamespaces } from '../../prompt/builtin-namespaces.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'

/** Whether the model chooses the tool of the demanded call among several. */
export function isCalleeOpen(demand: DemandedCall | undefined): boolean {
  switch (demand?.of) {
    case 'any':
    case 'server':
      return true
    case 'builtin':
      return demand.builtin !== undefined && isAnyOf(demand.builtin)
    default:
      return false
  }
}

/** Whether a built-in tool has several recipients. */
export function isAnyOf(tool: BuiltinTool): boolean {
  return (builtinNamed(tool).namespace()?.tools.length ?? 0) > 1
}

/**
 * Returns the recipients that the demanded call may have, if the model can be constrained to them: there is only one,
 * or the engine supports such a constraint. Undefined if the model writes the name freely, or the request demands no
 * call.
 */
export function calleesOf(tools: TaughtTools, capabilities: EngineCapabilities): readonly string[] | undefined {
  const { demand } = tools
  if (demand === undefined || !isCalleeOpen(demand)) return undefined
  const callees = recipientsOf(tools).filter(demandedBy(demand, tools))
  if (callees.length <= 1) return callees.length === 0 ? undefined : callees
  return isEnforced(nameConstraint(callees), capabilities) ? callees : undefined
}

/** Returns the recipients that satisfy the demand; undefined if the request demands no call, or none does. */
export function demandedRecipients(tools: TaughtTools): readonly string[] | undefined {
  const { demand } = tools
  if (demand === undefined) return undefined
  const isNamed = demand.of === 'function' || demand.of === 'custom'
  if (isNamed) return [tools.functionRecipient(demand.name)]
  if (demand.of === 'server_tool') return [tools.mcpRecipient(demand.label ?? '', demand.name)]
  const recipients = recipientsOf(tools).filter(demandedBy(demand, tools))
  return recipients.length === 0 ? undefined : recipients
}

/** Returns every recipient that the prompt teaches. */
export function recipientsOf({ namespaces, builtins }: TaughtTools): string[] {
  const taught = [...namespaces, ...builtinNamespaces(builtins)].flatMap(({ name, tools }) =>
    tools.length === 0 ? [name] : tools.map((tool) => `${name}.${tool.name}`),
  )
  return [...new Set(taught)]
}

/** Whether a recipient satisfies the demand. Tools that `tool_choice` excludes are not taught. */
function demandedBy(demand: DemandedCall, { declared, policy }: TaughtTools): (recipient: string) => boolean {
  return (recipient) => {
    const callee = classifyRecipient(recipient, undefined, declared, policy)
    if (demand.of === 'builtin') return demand.builtin === builtinOfItem(callee.kind)
    if (demand.of !== 'server') return true
    const isMcp = callee.kind === 'mcp_call' || callee.kind === 'mcp_approval_request'
    return isMcp && (demand.label === undefined || callee.serverLabel === demand.label)
  }
}

/** Returns a constraint to one of these names. */
export function nameConstraint(names: readonly string[]): Constraint {
  return { regex: `(?:${names.map((name) => name.replace(/[^\w:/@-]/g, '\\$&')).join('|')})` }
}

/** Whether the engine enforces a constraint. */
export function isEnforced(constraint: Constraint, capabilities: EngineCapabilities): boolean {
  if (!capabilities.constraints?.includes(constraintKind(constraint))) return false
  const fitted = capabilities.fit && atOnce(capabilities.fit(constraint))
  return fitted === undefined || (fitted.constraint !== undefined && fitted.relaxed.length === 0)
}
