import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Where the library itself loads the engine: it looks beside its own files, and it is installed here.
  resolve: { alias: { 'node-llama-cpp': fileURLToPath(import.meta.resolve('node-llama-cpp')) } },
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['**/*.test.ts'],
    globalSetup: ['./build-models.ts'],
    // One process for all files: the engine is a native addon, and two of them at once fight for the same cores.
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    // For a call that never ends; nothing here waits for time to pass.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
