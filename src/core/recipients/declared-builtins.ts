import { check } from '../../shared/errors.js'
import type { ShellTool, UnknownTool } from '../responses/request.js'
import { BUILTIN_RECIPIENTS, type BuiltinTool, builtinNamed, builtinOf, builtinsCalled } from './builtin-tools.js'
import type { DeclaredEnvironment } from './builtins/builtin.js'
import { lookUp, type RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/** The built-in tools that a request declares. */
export interface DeclaredBuiltins {
  /** The declared built-in tools, by the type that declares them, without a date. */
  readonly builtins: ReadonlySet<BuiltinTool>
  /** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
  readonly shell: DeclaredEnvironment
  /** Returns the recipients of built-in tools in a namespace, declared or not. */
  recipientsIn(namespace: string, policy: RecipientPolicy): readonly string[]
  /** Resolves a recipient of a built-in tool; undefined unless the request declares the tool. */
  matchBuiltin(recipient: string, policy: Pick<RecipientPolicy, 'builtins'>): Recipient | undefined
}

/** No built-in tools yet, and a function that adds the tools of a request. */
export interface GrowingBuiltins {
  readonly declared: DeclaredBuiltins
  /**
   * Adds a tool if it is a built-in one. The last shell decides where shells run.
   *
   * @throws HarmonyResponsesError `bad_option` if the environment of a shell is invalid
   */
  add(tool: UnknownTool, path: string): void
}

export function growingBuiltins(): GrowingBuiltins {
  const builtins = new Set<BuiltinTool>()
  const declared = {
    builtins,
    shell: null as DeclaredEnvironment,
    matchBuiltin(recipient: string, policy: Pick<RecipientPolicy, 'builtins'>): Recipient | undefined {
      const own = lookUp(policy.builtins, recipient)
      // In a policy, `shell` means whichever shell is declared.
      const calls = own === undefined ? builtinsCalled(recipient) : own.tool === 'shell' ? SHELLS : [own]
      const call = calls.find(({ tool }) => builtins.has(tool))
      if (call === undefined) return undefined
      const action = 'action' in call ? call.action : undefined
      return builtinNamed(call.tool).callee(action, declared.shell) as Recipient
    },
    recipientsIn(namespace: string, policy: RecipientPolicy): string[] {
      const all = new Set([...Object.keys(policy.builtins), ...BUILTIN_RECIPIENTS])
      return [...all].filter((recipient) => recipient.startsWith(`${namespace}.`))
    },
  }
  return {
    declared,
    add(tool, path) {
      const builtin = builtinOf(tool.type)
      if (builtin !== undefined) builtins.add(builtin)
      if (builtin === 'shell') declared.shell = environmentOf(tool as ShellTool, `${path}.environment`)
    },
  }
}

const SHELLS = [{ tool: 'shell' }, { tool: 'local_shell' }] as const

function environmentOf({ environment }: ShellTool, path: string): DeclaredBuiltins['shell'] {
  if (environment == null) return null
  check(typeof environment.type === 'string', path, 'an object with a type', environment)
  return environment.type === 'local' ? 'local' : 'container'
}
