import type { DeclaredTools } from './declared-tools.js'
import { lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** A recipient in the policy's table of built-ins, where the request declares the tool. */
export function matchBuiltin(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient | undefined {
  const { builtins } = tools
  const call = lookUp(policy.builtins, recipient)
  switch (call?.tool) {
    case 'code_interpreter':
      return builtins.has('code_interpreter') ? { kind: 'code_interpreter_call' } : undefined
    case 'web_search':
      return builtins.has('web_search') ? { kind: 'web_search_call', action: call.action } : undefined
    case 'shell':
      if (builtins.has('shell')) return { kind: 'shell_call', environment: tools.shell }
      return builtins.has('local_shell') ? { kind: 'local_shell_call' } : undefined
    default:
      return undefined
  }
}
