import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The tests of `npm test` that meet `openai`. There it is the newest for Node 20, here the newest of all. */
const MEET_OPENAI = [
  '../cli/serve.test.ts',
  '../dialects/chat/*.test.ts',
  '../docs/server.test.ts',
  '../laws/9-accumulator.test.ts',
  '../endpoint/request/laws.test.ts',
  '../server/{chat-completions,conversation-routes,create,demanded-answer,kept,observe,strict-functions}.test.ts',
  '../core/sse/response.test.ts',
  '../translate/**/*.test.ts',
]

export default defineConfig({
  // Those tests import this project's copy.
  resolve: { dedupe: ['openai'] },
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts', 'judge/*.test.ts', 'sdk/*.test.ts', ...MEET_OPENAI],
    setupFiles: ['../support/seed.ts'],
    // By default Vitest leaves one core free: on two cores, half of the time.
    maxWorkers: '100%',
    env: { OPENAI_SDK_OF: import.meta.url },
    // For an abort that never reaches the source; nothing here waits for time to pass.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
