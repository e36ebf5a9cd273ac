/** As much of Node's `process` as is used here. Bun and Deno have it too; workers need not. */
interface Process {
  constrainedMemory?(): number
  getBuiltinModule?(name: string): unknown
}

interface V8 {
  getHeapStatistics?(): { readonly heap_size_limit?: number }
}

interface Os {
  totalmem?(): number
}

/**
 * The smallest of the heap's limit, the container's memory (of its cgroup) and the machine's, in bytes; undefined where
 * none is known. Modules of Node's are asked for at run time: this file is also bundled for runtimes without them.
 */
export function memoryOfProcess(
  process: Process | undefined = (globalThis as { readonly process?: Process }).process,
): number | undefined {
  const found = [
    () => (process?.getBuiltinModule?.('node:v8') as V8 | undefined)?.getHeapStatistics?.().heap_size_limit,
    () => process?.constrainedMemory?.(),
    () => (process?.getBuiltinModule?.('node:os') as Os | undefined)?.totalmem?.(),
  ].map(known)
  const sizes = found.filter((size) => size !== undefined)
  return sizes.length === 0 ? undefined : Math.min(...sizes)
}

/** 0 stands for no limit; a runtime may have the method and throw. */
function known(ask: () => number | undefined): number | undefined {
  try {
    const size = ask()
    return typeof size === 'number' && size > 0 ? size : undefined
  } catch {
    return undefined
  }
}
