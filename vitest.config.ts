import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

// Law tests run `LAW_RUNS` streams each (test/support/runs.ts); `npm run test:laws` runs 100,000 and takes the time it takes.
const runs = Number(process.env['LAW_RUNS'] ?? 12)
// For a test that hangs. A machine that is busy with other things takes many times as long as a quiet one.
const patience = runs > 1000 ? 0 : runs > 100 ? 600_000 : 120_000
// The V8 of Node 22 and later counts calls instead, and a process with this flag does not start.
const lateOptimizer = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=1000000'] : []

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Real SDKs, a real engine and what newcomers install: run on their own, with dependencies of their own.
    exclude: [
      ...configDefaults.exclude,
      ...['clients', 'engine', 'foreign', 'journeys', 'programs', 'servers'].map((name) => `test/${name}/**`),
    ],
    // One process for many files: the tables, the wasm parser and the schemas are loaded once for each process, and cost
    // more than most files' tests. So a test leaves globals as they were.
    isolate: false,
    // Compiled modules of an earlier run, by their content: a fifth of the processor time. `npx vitest --clearCache` deletes them.
    experimental: { fsModuleCache: true },
    // By default Vitest leaves one core free: on two cores, half of the time. Where suites run that wait for browsers, databases
    // and servers (`TOO_SHORT`), one more fills the gaps.
    maxWorkers: availableParallelism() + (runs >= 90 ? 1 : 0),
    // Tests are short: most of what they make is garbage at once, and code that V8 optimizes has seldom the time to pay
    // for it. A larger young generation, V8's baseline compiler and a late optimizer save a third of the processor time.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64', '--sparkplug', ...lateOptimizer],
    testTimeout: patience,
    hookTimeout: 120_000,
  },
})
