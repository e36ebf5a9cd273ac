import { APPLY_PATCH, namesPatchTool } from './apply-patch.js'
import { type Classifier, classifyRecipient } from './classify.js'
import type { DeclaredTools } from './declared-tools.js'
import type { NamedTool } from './loose-names.js'
import { splitMcpTool } from './mcp.js'
import type { RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'
import { isCalleeLeft, type ToolChoice } from './tool-choice.js'

/** The facts of a request that determine what a message becomes. */
export interface RequestFacts {
  readonly declared: DeclaredTools
  readonly policy: RecipientPolicy
  readonly choice: ToolChoice
  /** Returns the tools that an unknown name may mean: `looseNames`. */
  readonly namedLoosely: (recipient: string) => readonly NamedTool[]
}

/**
 * Creates the classifier of a request, which differs from the table of its tools in two ways. An unknown name that only
 * one tool can mean is that tool's; if several can, the call is unavailable. Also unavailable is a call that
 * `tool_choice` excludes, or of a made-up name where a call is required: it becomes a failed `mcp_call` that the model
 * reads, since neither the host nor the client may run it, nor a user approve it.
 */
export function createRequestClassifier({ declared: tools, policy, choice, namedLoosely }: RequestFacts): Classifier {
  const { isAllowed, demand } = choice
  const isRequired = demand?.of === 'any'
  const isLeft = (callee: Recipient): boolean => isCalleeLeft(isAllowed, callee)

  // Its name is in the namespace of the client's functions: a function of the client with that name wins.
  const isPatchTool = (recipient: string): boolean =>
    tools.builtins.has(APPLY_PATCH) && policy.order.includes('builtins') && namesPatchTool(recipient)

  function resolve(recipient: string, callee: Recipient): Recipient {
    if (!isUnknown(callee, tools)) return callee
    if (isPatchTool(recipient)) return { kind: 'apply_patch_call' }
    const found = namedLoosely(recipient)
    // A tool that the model was not taught does not make another tool's name ambiguous.
    const remaining = found.filter((tool) => isLeft(tool.callee) && isAvailable(tool.callee))
    const [only, ...others] = remaining.length > 0 ? remaining : found
    if (only === undefined) return callee
    if (others.length === 0) return { ...only.callee, written: recipient } as Recipient
    return { ...unavailable(recipient), ...(remaining.length > 0 && { candidates: remaining.map(({ name }) => name) }) }
  }

  return (recipient, channel) => {
    const named = classifyRecipient(recipient, channel, tools, policy)
    if (recipient === undefined || named.kind === 'reasoning' || named.kind === 'message') return named
    const callee = resolve(recipient, named)
    if (isLeft(callee) && !(isRequired && callee.kind === 'function_call' && !callee.declared)) return callee
    if (callee.kind !== 'mcp_call' && callee.kind !== 'mcp_approval_request') return unavailable(recipient)
    return { ...callee, kind: 'mcp_call', available: false }
  }
}

/** Whether no tool has this name. Under the policy `vllm`, every name belongs to a server that the host may know. */
function isUnknown(callee: Recipient, { mcpServers }: DeclaredTools): boolean {
  if (callee.kind === 'function_call') return !callee.declared
  return callee.kind === 'mcp_call' && !callee.available && !mcpServers.has(callee.serverLabel)
}

function isAvailable(callee: Recipient): boolean {
  return callee.kind !== 'mcp_call' || callee.available
}

/** Returns a call that fails, of the tool that the first segment of the recipient names. */
function unavailable(recipient: string): Extract<Recipient, { kind: 'mcp_call' }> {
  return { kind: 'mcp_call', ...splitMcpTool(recipient, {}), available: false }
}
