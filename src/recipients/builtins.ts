import { check } from '../errors.js'
import type { ShellTool, UnknownTool } from '../responses/request.js'
import { type BuiltinTool, builtinOf } from './builtin-tools.js'
import { type BuiltinCall, lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** The built-in tools that a request declares. */
export interface DeclaredBuiltins {
  readonly builtins: ReadonlySet<BuiltinTool>
  /** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
  readonly shell: 'container' | 'local' | null
  /** A recipient in the policy's table of built-ins, if the request declares the tool. */
  matchBuiltin(recipient: string, policy: RecipientPolicy): Recipient | undefined
}

/**
 * Reads the built-in tools among the request's `tools`.
 *
 * @throws HarmonyResponsesError `bad_option` if the environment of a shell is invalid
 */
export function declareBuiltins(tools: readonly UnknownTool[]): DeclaredBuiltins {
  const builtins = new Set<BuiltinTool>()
  let shell: DeclaredBuiltins['shell'] = null
  for (const [index, tool] of tools.entries()) {
    const builtin = builtinOf(tool.type)
    if (builtin !== undefined) builtins.add(builtin)
    if (builtin === 'shell') shell = environmentOf(tool as ShellTool, `tools[${index}].environment`)
  }
  return {
    builtins,
    shell,
    matchBuiltin(recipient, policy) {
      const call = lookUp(policy.builtins, recipient)
      if (call === undefined) return undefined
      // In a policy, `shell` means the shell that is declared.
      const tool = call.tool === 'shell' && !builtins.has('shell') ? 'local_shell' : call.tool
      return builtins.has(tool) ? RECIPIENTS[tool](call, shell) : undefined
    },
  }
}

/** The recipient that a call of each declared tool becomes. */
const RECIPIENTS: {
  readonly [Tool in BuiltinTool]: (call: BuiltinCall, shell: DeclaredBuiltins['shell']) => Recipient
} = {
  code_interpreter: () => ({ kind: 'code_interpreter_call' }),
  web_search: (call) => ({ kind: 'web_search_call', action: 'action' in call ? call.action : 'search' }),
  shell: (_, shell) => ({ kind: 'shell_call', environment: shell }),
  local_shell: () => ({ kind: 'local_shell_call' }),
  apply_patch: () => ({ kind: 'apply_patch_call' }),
}

function environmentOf({ environment }: ShellTool, path: string): DeclaredBuiltins['shell'] {
  if (environment == null) return null
  check(typeof environment.type === 'string', path, 'an object with a type', environment)
  return environment.type === 'local' ? 'local' : 'container'
}
