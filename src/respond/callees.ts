import { type Constraint, constraintKind, type EngineCapabilities } from '../engine/constraint.js'
import { builtinNamespaces } from '../prompt/builtin-namespaces.js'
import type { Fields } from '../prompt/fields.js'
import { listingsWith } from '../prompt/read-input.js'
import { type TaughtTools, teachTools } from '../prompt/taught-tools.js'
import type { HostedBuiltin } from '../prompt/untaught-tools.js'
import { undatedType } from '../recipients/builtin-tools.js'
import { classifyRecipient } from '../recipients/classify.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest } from '../responses/request.js'

/** What the tools of a request are taught by, beside the request. */
export interface Teaching {
  readonly listings: readonly McpListing[]
  /** The built-in tools that the host runs. */
  readonly hosted: readonly HostedBuiltin[]
  readonly policy?: RecipientPolicy | PolicyName
}

/** Whether the request demands a call, and leaves it to the model of what. */
export function isCalleeOpen({ tools, tool_choice: choice }: ResponseRequest): boolean {
  if ((tools ?? []).length === 0) return false
  if (typeof choice !== 'object' || choice === null) return choice === 'required'
  const { type, name, mode } = choice as { readonly [field: string]: unknown }
  const kind = undatedType(String(type))
  return (kind === 'allowed_tools' && mode === 'required') || (kind === 'mcp' && name == null) || kind === 'web_search'
}

/**
 * The recipients that the demanded call may have, if the model can be held to them: there is one, or the engine holds
 * names. Undefined if the model writes the name freely, or the request demands no call.
 */
export function calleesOf(
  request: ResponseRequest,
  teaching: Teaching,
  capabilities: EngineCapabilities,
): readonly string[] | undefined {
  if (!isCalleeOpen(request)) return undefined
  const tools = taughtTools(request, teaching)
  const callees = recipientsOf(tools).filter(demandedBy(request.tool_choice, tools))
  if (callees.length <= 1) return callees.length === 0 ? undefined : callees
  return isHeld(nameConstraint(callees), capabilities) ? callees : undefined
}

/** The tools of a request as its prompt teaches them. @throws RequestError */
export function taughtTools(request: ResponseRequest, teaching: Teaching): TaughtTools {
  const { hosted, policy } = teaching
  return teachTools(request as Fields, listingsWith(request.input, teaching.listings), resolvePolicy(policy), hosted)
}

/** Every recipient that the prompt teaches. */
export function recipientsOf({ namespaces, builtins }: TaughtTools): string[] {
  const taught = [...namespaces, ...builtinNamespaces(builtins)].flatMap(({ name, tools }) =>
    tools.length === 0 ? [name] : tools.map((tool) => `${name}.${tool.name}`),
  )
  return [...new Set(taught)]
}

/** Whether a recipient is what `tool_choice` demands. What it leaves out is not taught. */
function demandedBy(choice: unknown, { declared, policy }: TaughtTools): (recipient: string) => boolean {
  const { type = '', server_label: label } = Object(choice) as { type?: string; server_label?: string | null }
  return (recipient) => {
    const callee = classifyRecipient(recipient, undefined, declared, policy)
    if (undatedType(type) === 'web_search') return callee.kind === 'web_search_call'
    if (type !== 'mcp') return true
    const isMcp = callee.kind === 'mcp_call' || callee.kind === 'mcp_approval_request'
    return isMcp && (label == null || callee.serverLabel === label)
  }
}

/** A constraint to one of these names. */
export function nameConstraint(names: readonly string[]): Constraint {
  return { regex: `(?:${names.map((name) => name.replace(/[^\w:/@-]/g, '\\$&')).join('|')})` }
}

/** Whether the engine holds a constraint. */
export function isHeld(constraint: Constraint, { constraints = [], refuses }: EngineCapabilities): boolean {
  return constraints.includes(constraintKind(constraint)) && refuses?.(constraint) === undefined
}
