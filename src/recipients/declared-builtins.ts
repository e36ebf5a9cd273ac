import { check } from '../errors.js'
import type { ShellTool, UnknownTool } from '../responses/request.js'
import { type BuiltinTool, builtinNamed, builtinOf } from './builtin-tools.js'
import type { DeclaredEnvironment } from './builtins/builtin.js'
import { lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** The built-in tools that a request declares. */
export interface DeclaredBuiltins {
  readonly builtins: ReadonlySet<BuiltinTool>
  /** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
  readonly shell: DeclaredEnvironment
  /** Looks up a recipient in the policy's table of built-ins; undefined unless the request declares the tool. */
  matchBuiltin(recipient: string, policy: RecipientPolicy): Recipient | undefined
}

/**
 * Parses the built-in tools among the request's `tools`.
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
      // In a policy, `shell` means whichever shell is declared.
      const tool = call.tool === 'shell' && !builtins.has('shell') ? 'local_shell' : call.tool
      if (!builtins.has(tool)) return undefined
      const action = 'action' in call ? call.action : undefined
      return builtinNamed(tool).callee(action, shell) as Recipient
    },
  }
}

function environmentOf({ environment }: ShellTool, path: string): DeclaredBuiltins['shell'] {
  if (environment == null) return null
  check(typeof environment.type === 'string', path, 'an object with a type', environment)
  return environment.type === 'local' ? 'local' : 'container'
}
