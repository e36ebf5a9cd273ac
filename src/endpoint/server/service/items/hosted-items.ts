import { builtinNamed, HOSTED_BUILTINS } from '../../../../core/recipients/builtin-tools.js'

const HOSTED: ReadonlySet<string> = new Set([
  'mcp_call',
  'shell_call_output',
  ...HOSTED_BUILTINS.map((tool) => builtinNamed(tool).item),
])

/** Whether an item is a call that the host runs, or its result. */
export function isHostedItem({ type }: { readonly type: string }): boolean {
  return HOSTED.has(type)
}
