import { configDefaults, defineConfig } from 'vitest/config'

// Law tests run `LAW_RUNS` streams each (test/support/runs.ts); `npm run test:laws` runs 100,000 and takes the time it takes.
const isLong = Number(process.env['LAW_RUNS'] ?? 0) > 1000

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Real SDKs, a real engine and what newcomers install: run on their own, with dependencies of their own.
    exclude: [...configDefaults.exclude, 'test/clients/**', 'test/engine/**', 'test/journeys/**'],
    // One process for many files: the tables, the wasm parser and the schemas are loaded once for each process, and cost
    // more than most files' tests. So a test leaves globals as they were.
    isolate: false,
    testTimeout: isLong ? 0 : 60_000,
    hookTimeout: 60_000,
  },
})
