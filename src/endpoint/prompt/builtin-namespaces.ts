import { type BuiltinTool, builtinNamed } from '../../core/recipients/builtin-tools.js'
import type { ToolNamespace } from './tool-namespace.js'

/**
 * Returns the namespaces that the system message teaches for the built-in tools of a request, in the official
 * renderer's order: by name. A request that declares both shells has one `container.exec`, that of `shell`: its call
 * becomes a `shell_call`.
 */
export function builtinNamespaces(builtins: ReadonlySet<BuiltinTool>): ToolNamespace[] {
  const namespaces = new Map<string, ToolNamespace>()
  for (const tool of builtins) {
    const { runBy, ...builtin } = builtinNamed(tool)
    const namespace = builtin.namespace()
    if (namespace === null || (runBy === 'client' && namespaces.has(namespace.name))) continue
    namespaces.set(namespace.name, namespace)
  }
  return [...namespaces.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
