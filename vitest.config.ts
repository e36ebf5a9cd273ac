import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real SDKs and a real engine: run on their own, with dependencies of their own.
    exclude: [...configDefaults.exclude, 'test/clients/**', 'test/engine/**'],
    // Property tests run hundreds of streams each; `npm run test:laws` runs 100,000 and takes the time it takes.
    testTimeout: process.env['LAW_RUNS'] === undefined ? 60_000 : 0,
    hookTimeout: 60_000,
  },
})
