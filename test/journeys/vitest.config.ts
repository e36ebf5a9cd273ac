import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    globalSetup: './installed.ts',
    // The report shows how long each journey took.
    reporters: ['verbose'],
    // Packages are downloaded, and Next is built.
    testTimeout: 600_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    // npm and Node use more than one core each.
    maxConcurrency: 2,
  },
})

export default config
