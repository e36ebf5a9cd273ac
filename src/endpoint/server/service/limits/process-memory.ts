/** The part of Node's `process` that is used here. Bun and Deno have it too; workers need not. */
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
 * Returns the smallest of the heap's limit, the container's memory (of its cgroup) and the machine's, in bytes;
 * undefined if none is known. Node's modules are looked up at run time, because this file is also bundled for other
 * runtimes.
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

/** 0 means no limit; a runtime may have the method and throw. */
function known(ask: () => number | undefined): number | undefined {
  try {
    const size = ask()
    return typeof size === 'number' && size > 0 ? size : undefined
  } catch {
    return undefined
  }
}
