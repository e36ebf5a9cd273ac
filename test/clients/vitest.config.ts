import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts', 'judge/*.test.ts'],
    // For an abort that never reaches the source; nothing here waits for time to pass.
    testTimeout: 30_000,
  },
})
