import { type Profiler, Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'

/** A module of `src/` whose work can be counted. */
export interface WorkCounter<Module> {
  /** A copy of the module: only what this copy does is counted. */
  readonly module: Module
  /**
   * The number of blocks of the module's code that a call runs: each iteration of a loop counts, and each call of a
   * function. Work of built-in functions does not count, but the functions that they call back do.
   */
  count(run: () => void): number
  /** The number of calls of each of these functions of the module. */
  calls(names: readonly string[], run: () => Promise<void>): Promise<Readonly<Record<string, number>>>
  stop(): void
}

/**
 * Loads a copy of a module under V8's coverage, which counts how often each block of code runs: the same for the same
 * call on every machine, however busy. A copy, because V8 adds the counters when it first compiles a function.
 *
 * @param path - of the module in `src/`
 */
export async function countWork<Module>(path: string): Promise<WorkCounter<Module>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/${path}`, import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'counted',
    write: false,
    logLevel: 'error',
  })
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // Optimized code does not count inlined functions.
  setFlagsFromString('--no-opt')
  const module: Module = runInThisContext(`${outputFiles[0]?.text}; counted`, { filename: `counted:${path}` })

  /** Also sets all counters to 0. */
  function counted(): readonly Profiler.FunctionCoverage[] {
    let found: readonly Profiler.FunctionCoverage[] = []
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      found = result.filter(({ url }) => url === `counted:${path}`).flatMap((script) => script.functions)
    })
    return found
  }

  return {
    module,
    count(run) {
      counted()
      run()
      return counted().reduce((sum, { ranges }) => sum + ranges.reduce((all, { count }) => all + count, 0), 0)
    },
    async calls(names, run) {
      counted()
      await run()
      const found = counted()
      return Object.fromEntries(
        names.map((name) => {
          const same = found.filter(({ functionName }) => functionName === name)
          if (same.length !== 1) throw new Error(`${same.length} functions ${name}`)
          return [name, same[0]?.ranges[0]?.count ?? 0]
        }),
      )
    },
    stop() {
      session.disconnect()
      setFlagsFromString('--opt')
    },
  }
}
