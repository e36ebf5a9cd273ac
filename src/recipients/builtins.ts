import type { BuiltinTool } from './builtin-tools.js'
import type { DeclaredTools } from './declared-tools.js'
import { type BuiltinCall, lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** What a call becomes. `shell` stands for whichever of the two shells is declared. */
const RECIPIENTS: {
  readonly [Tool in Exclude<BuiltinTool, 'local_shell'>]: (
    call: Extract<BuiltinCall, { tool: Tool }>,
    tools: DeclaredTools,
  ) => Recipient | undefined
} = {
  code_interpreter: (_, { builtins }) =>
    builtins.has('code_interpreter') ? { kind: 'code_interpreter_call' } : undefined,
  web_search: ({ action }, { builtins }) =>
    builtins.has('web_search') ? { kind: 'web_search_call', action } : undefined,
  shell(_, { builtins, shell }) {
    if (builtins.has('shell')) return { kind: 'shell_call', environment: shell }
    return builtins.has('local_shell') ? { kind: 'local_shell_call' } : undefined
  },
}

/** A recipient in the policy's table of built-ins, if the request declares the tool. */
export function matchBuiltin(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient | undefined {
  const call = lookUp(policy.builtins, recipient)
  // A custom policy may name an unknown tool: the recipient then counts as undeclared.
  return (
    call &&
    lookUp<(call: never, tools: DeclaredTools) => Recipient | undefined>(RECIPIENTS, call.tool)?.(call as never, tools)
  )
}
