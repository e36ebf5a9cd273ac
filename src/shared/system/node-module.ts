/**
 * Returns a built-in module of Node. Undefined on other runtimes, even those with a module of that name: its classes
 * are not Node's. Looked up at run time, because the files that need it are also bundled for other runtimes.
 */
export function nodeModule(name: `node:${string}`): unknown {
  const { process, navigator } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): unknown }
    readonly navigator?: { readonly userAgent?: string }
  }
  // Node 20 has no navigator.
  if (navigator !== undefined && navigator.userAgent?.startsWith('Node.js/') !== true) return undefined
  return process?.getBuiltinModule?.(name)
}
