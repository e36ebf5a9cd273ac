/*
 * A server in a separate process with little memory, which a test attacks: it prints its address, and answers each line
 * of its input with its memory figures.
 */
import { createInterface } from 'node:readline'
import { serveResponses } from '../../../../src/endpoint/server/node.js'
import { createMemoryStore } from '../../../../src/endpoint/stores/index.js'
import { tokenStream } from '../../../../src/engines/contract/index.js'
import { loadTokenTable } from '../../../../src/index.js'

/** `<|channel|>final<|message|>`, `Hi`, `<|return|>` */
const TOKENS = [200005, 17196, 200008, 12194, 200002]

const memoryBytes = Number(process.argv[2])
const server = await serveResponses({
  port: Number(process.argv[3]),
  engine: {
    generate: () =>
      tokenStream(async function* () {
        yield* TOKENS
        return { reason: 'stop' }
      }),
    health: async () => {},
  },
  tokenTable: await loadTokenTable(),
  authorize: (request) => request.headers.get('authorization')?.slice(7) ?? 'anonymous',
  store: createMemoryStore(),
  keepAliveMs: 0,
  ...(memoryBytes > 0 && { limits: { memoryBytes } }),
  onError: (error) => console.error(error),
})
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
createInterface({ input: process.stdin }).on('line', () => {
  ;(globalThis as { gc?: () => void }).gc?.()
  const { rss } = process.memoryUsage()
  const { maxRSS } = process.resourceUsage()
  process.stdout.write(`${JSON.stringify({ rss, peak: maxRSS * 1024, memory: server.service.memory })}\n`)
})
