import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { chosenSuites } from './suites.js'

const config: ViteUserConfig = defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: chosenSuites().names.map((name) => `${name}.test.ts`),
    globalSetup: ['./prepare.ts'],
    // One server at a time: each takes two cores and 2 GB.
    pool: 'forks',
    maxWorkers: 1,
    // For a server that hangs; nothing here waits for time to pass.
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
  },
})

export default config
