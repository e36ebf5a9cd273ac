import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complaint } from '../../../src/cli/io.js'
import { createLiveTimelines } from '../../../src/cli/serve/live-timelines.js'
import { createRequestLog } from '../../../src/cli/serve/request-log.js'
import { EngineError, type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { endpoint, tokenTable } from '../../endpoint/server/endpoint.js'
import { runs } from '../../support/runs.js'
import { encodeText } from '../../support/tokens.js'

/** Control characters, and text that looks like a line of the log. */
const NASTY = [
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\n12:34:56  GET /admin 200',
  '\r',
  '\b',
  '\u202e',
  '\u2028',
  '\u0000',
  '\u0085',
]
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 5 })), { maxLength: 4 })
  .map((parts) => parts.join(''))

const [START, MESSAGE, CHANNEL, CALL, RETURN] = [200006, 200008, 200005, 200012, 200002]
const words = (text: string): number[] => (text === '' ? [] : encodeText(text))

/** A model that writes such text in headers, bodies and arguments, and may fail with it. */
function engine(text: string, isFailing: boolean): TokenEngine {
  const tokens = [
    ...[CHANNEL, ...words('analysis'), MESSAGE, ...words(text), 200007],
    ...[
      START,
      ...words(`assistant to=functions.${text}`),
      CHANNEL,
      ...words(`commentary ${text}`),
      MESSAGE,
      ...words(`{"a":"${text}"}`),
      200007,
    ],
    ...[START, ...words(`assistant:${text}`), CHANNEL, ...words('final'), MESSAGE, ...words(text), RETURN],
  ]
  return {
    generate: () =>
      tokenStream(async function* () {
        yield* tokens.slice(0, isFailing ? 40 : tokens.length).filter((token) => token !== CALL)
        if (isFailing) throw new EngineError('invalid_prompt', text)
        return { reason: 'stop' }
      }),
    health: async () => {},
  }
}

test('the display and the log of serve hold no terminal control characters, whatever a model, a client or a server writes', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, fc.boolean(), fc.boolean(), async (text, isFailing, isVision) => {
      let shown = ''
      const write = (lines: string): void => {
        shown += lines
      }
      const timelines = createLiveTimelines({ tokenTable }, { columns: isVision ? 80 : 120, hasColors: false }, write)
      const log = createRequestLog(() => '00:00:00', false, write)
      const listing = { serverLabel: 'docs', tools: [{ name: text, description: text, inputSchema: {} }] }
      const { create, send } = endpoint(engine(text, isFailing), {
        onEntry: timelines.take,
        onMetric: log.take,
        onError: (error) => write(complaint(error)),
        tools: [
          {
            answers: () => true,
            run: async () => ({ output: text, error: { message: text, code: text } }),
            listings: async () => [listing as never],
          },
        ],
      })
      await create({
        input: text,
        model: `m${text}`,
        metadata: { a: text.slice(0, 100) },
        tools: [
          { type: 'function', name: 'f', description: text, parameters: {} },
          { type: 'mcp', server_label: 'docs', require_approval: 'never' },
        ],
      })
      await send(`/v1/${encodeURIComponent(text)}`, { method: 'POST' })
      const lines = shown.split('\n')
      for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u)
      // A line of the log, or of a drawing, that no text has forged.
      expect(lines.filter((line) => line.startsWith('12:34:56'))).toEqual([])
      expect(shown).toContain('00:00:00')
    }),
    { numRuns: runs(250) },
  )
})
