import { type BuiltinTool, builtinNamed, type HostedBuiltin } from '../../core/recipients/builtin-tools.js'
import type { DeclaredTools } from '../../core/recipients/declared-tools.js'
import { lookUp } from '../../core/recipients/policy.js'
import type { EchoedOnlyTool } from '../../core/responses/request-tools.js'

/** The tools of the API that gpt-oss cannot address, so that nothing could run them. */
const UNADDRESSED: Readonly<Record<EchoedOnlyTool['type'], true>> = {
  computer: true,
  computer_use_preview: true,
  image_generation: true,
  programmatic_tool_calling: true,
  tool_search: true,
}

/** Whether tools of this type can never be taught. */
export function isUnaddressed(type: string): boolean {
  return lookUp(UNADDRESSED, type) === true
}

/**
 * Returns the declared built-in tools that nothing runs: neither the host nor, for a shell outside a container, the
 * client.
 *
 * @param hosted - the tools that the host runs
 */
export function unrunBuiltins(
  { builtins, shell }: DeclaredTools,
  hosted: readonly HostedBuiltin[],
): ReadonlySet<BuiltinTool> {
  const isRun = (builtin: BuiltinTool): boolean => {
    const { runBy } = builtinNamed(builtin)
    const isByClient = runBy === 'client' || (runBy === 'environment' && shell !== 'container')
    return isByClient || (hosted as readonly BuiltinTool[]).includes(builtin)
  }
  const unrun = new Set([...builtins].filter((builtin) => !isRun(builtin)))
  // Both shells have one recipient, whose calls are those of `shell`.
  if (unrun.has('shell') && builtins.has('local_shell')) unrun.add('local_shell')
  return unrun
}
