import type { DeclaredTools } from './declared-tools.js'
import { lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** A recipient in the policy's table of built-ins, where the request declares the tool. */
export function matchBuiltin(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient | undefined {
  const call = lookUp(policy.builtins, recipient)
  if (call === undefined) return undefined
  if (!tools.builtins.has(call.tool)) {
    return call.tool === 'shell' && tools.builtins.has('local_shell') ? { kind: 'local_shell_call' } : undefined
  }
  if (call.tool === 'web_search') return { kind: 'web_search_call', action: call.action }
  return call.tool === 'shell' ? { kind: 'shell_call', environment: tools.shell } : { kind: 'code_interpreter_call' }
}
