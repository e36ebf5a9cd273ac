import type { BuiltinTool } from './builtin-tools.js'
import type { DeclaredTools } from './declared-tools.js'
import { type BuiltinCall, lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** The recipient that a call of each declared tool becomes. */
const RECIPIENTS: { readonly [Tool in BuiltinTool]: (call: BuiltinCall, tools: DeclaredTools) => Recipient } = {
  code_interpreter: () => ({ kind: 'code_interpreter_call' }),
  web_search: (call) => ({ kind: 'web_search_call', action: 'action' in call ? call.action : 'search' }),
  shell: (_, { shell }) => ({ kind: 'shell_call', environment: shell }),
  local_shell: () => ({ kind: 'local_shell_call' }),
}

/** A recipient in the policy's table of built-ins, if the request declares the tool. */
export function matchBuiltin(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient | undefined {
  const call = lookUp(policy.builtins, recipient)
  if (call === undefined) return undefined
  // In a policy, `shell` means the shell that is declared.
  const tool = call.tool === 'shell' && !tools.builtins.has('shell') ? 'local_shell' : call.tool
  return tools.builtins.has(tool) ? RECIPIENTS[tool](call, tools) : undefined
}
