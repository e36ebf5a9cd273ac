import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    // For a server that hangs, and for an installation; nothing here waits for time to pass.
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
})

export default config
