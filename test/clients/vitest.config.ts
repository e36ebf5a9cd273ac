import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests of `npm test` that hold this library to the installed `openai`. Here they have the newest. */
const HELD_TO_OPENAI = [
  '../laws/9-accumulator.test.ts',
  '../translate/**/*.test.ts',
  '../sse/response.test.ts',
  '../request/laws.test.ts',
  '../dialects/chat/*.test.ts',
  '../server/chat-completions.test.ts',
  '../server/demanded-answer.test.ts',
  '../server/kept.test.ts',
]

export default defineConfig({
  // What those tests import is the copy of this project.
  resolve: { dedupe: ['openai'] },
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts', 'judge/*.test.ts', 'sdk/*.test.ts', ...HELD_TO_OPENAI],
    env: { OPENAI_SDK_OF: import.meta.url },
    // For an abort that never reaches the source; nothing here waits for time to pass.
    testTimeout: 30_000,
  },
})
