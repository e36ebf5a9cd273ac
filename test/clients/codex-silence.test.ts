import { setTimeout as after } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, scriptedEngine } from '../../src/testing/index.js'
import { codexConfig, playCodex } from './clients/codex.js'

/** Codex gives a silent stream up after this long. Its default is 300 seconds. */
const IDLE_MS = 2_000
/** How long the engine reads the prompt. */
const SILENCE_MS = 3 * IDLE_MS

const toEnd = { onText: () => {}, signal: new AbortController().signal }

test.each([false, true])(
  'codex waits for a first token beyond its idle limit, and does not try again (over a WebSocket: %s)',
  { timeout: 60_000 },
  async (supportsSockets) => {
    const engine = scriptedEngine(() => after(SILENCE_MS).then(() => answer('Here I am.')))
    const server = await serveResponses({
      engine,
      tokenTable: await loadTokenTable(),
      port: 0,
      keepAliveMs: IDLE_MS / 8,
    })
    onTestFinished(() => server.close({ graceMs: 0 }))
    const played = await playCodex(
      codexConfig(`${server.url}/v1`, {
        supports_websockets: supportsSockets,
        stream_idle_timeout_ms: IDLE_MS,
        stream_max_retries: 2,
      }),
      toEnd,
    )
    expect(played).toMatchObject({ text: ['Here I am.'], ending: 'completed' })
    expect(engine.calls).toHaveLength(1)
  },
)
