// A server whose engine plays hostile models, and whose MCP server floods it: node attacked.mjs MEMORY_BYTES MCP_URL
// MCP_TIMEOUT_MS, with an IPC channel. The model of a request names the stream.
import { createEncoder } from '../../dist/core/tokens/index.js'
import { serveResponses } from '../../dist/endpoint/server/node.js'
import { createMemoryStore } from '../../dist/endpoint/stores/index.js'
import { mcpTools } from '../../dist/endpoint/tools/mcp/index.js'
import { loadTokenTable } from '../../dist/index.js'
import { scriptedEngine } from '../../dist/testing/index.js'
import { watchTurns } from '../turns.mjs'

const [memoryBytes, url, timeout] = process.argv.slice(2)
const timeoutMs = Number(timeout)
const tokenTable = await loadTokenTable()
const encode = createEncoder(tokenTable)
const [RETURN, CHANNEL, START, END, MESSAGE, CALL] = [200002, 200005, 200006, 200007, 200008, 200012]
const EVERY_MS = 20

const header = (text) => [CHANNEL, ...encode(text), MESSAGE]
const longest = longestTokens()
const word = encode(' word')
const topLogprobs = () => Array.from({ length: 20 }, (_, at) => ({ id: 1_000 + at, logprob: -at }))

/** What each model samples after `<|start|>assistant`, as chunks, `size` times. */
const MODELS = {
  *headers(size) {
    yield [CHANNEL]
    for (let at = 0; at < size; at++) yield encode(' commentary to=functions.f'.repeat(50))
    yield [MESSAGE, RETURN]
  },
  *calls(size) {
    yield header('commentary to=functions.f')
    for (let at = 0; at < size; at++) yield encode(`{"a":[${'{"b":'.repeat(100)}`)
    yield [CALL]
  },
  *items(size) {
    const item = [...header('analysis'), word[0], END, START, ...encode('assistant')]
    for (let at = 0; at < size; at++) yield item
    yield [...header('final'), word[0], RETURN]
  },
  *letters(size) {
    yield header('final')
    for (let at = 0; at < size; at++) yield longest
    yield [RETURN]
  },
  *logprobs(size) {
    yield header('final')
    for (let at = 0; at < size * 16; at++) yield { id: word[0], logprob: -1, topLogprobs: topLogprobs() }
    yield [RETURN]
  },
  *stored(size) {
    yield header('final')
    for (let at = 0; at < size * 16; at++) yield word
    yield [RETURN]
  },
  *mcp() {
    yield [...header('commentary to=flood.any'), ...encode('{}'), CALL]
  },
}

/** The tokens of the most bytes: those of 128 blanks and the like. */
function longestTokens() {
  const ids = []
  for (const text of [' '.repeat(128), '-'.repeat(64), '='.repeat(64), '*'.repeat(64)]) ids.push(...encode(text))
  return ids
}

let size = 1

async function* generate(model) {
  if (model === 'steady') {
    yield header('final')
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      yield word
    }
  }
  yield* Object.hasOwn(MODELS, model) ? MODELS[model](size) : [[...header('final'), word[0], RETURN]]
  return { reason: 'stop' }
}

const strict = await scriptedEngine([], { constraints: ['json_schema'] }).capabilities()
const engineOf = (model) => {
  let isAnswered = false
  return {
    // After the call, its result is answered.
    generate(prompt) {
      const isLater = model === 'mcp' && prompt.length > 0 && isAnswered
      isAnswered = true
      return generate(isLater ? 'answer' : model)
    },
    health: async () => {},
    capabilities: async () => (model === 'strict' ? { ...strict, contextLength: 131_072 } : {}),
  }
}

const tools = mcpTools({
  servers: { flood: { url, timeoutMs, totalTimeoutMs: timeoutMs, listTimeoutMs: timeoutMs } },
  onError: () => {},
})
const { port, service } = await serveResponses({
  ...{ engine: engineOf, tokenTable, tools: [tools], keepAliveMs: 0, port: 0 },
  authorize: (request) => request.headers.get('authorization')?.slice(7) ?? 'anonymous',
  limits: { concurrency: 5_000, queue: 5_000, memoryBytes: Number(memoryBytes) },
  store: createMemoryStore(),
  onError: () => {},
})
const turns = await watchTurns()

const commands = {
  size(given) {
    size = given
    return {}
  },
  longestOfThread: () => turns.longestOfThread(),
  /** The memory of the process without its garbage, and what of it is counted. */
  held() {
    globalThis.gc()
    return { rss: process.memoryUsage.rss(), counted: service.memory.used }
  },
  /** Microseconds, its threads included. */
  cpu: () => process.cpuUsage(),
}

process.on('message', async ({ command, options }) => process.send(await commands[command](options)))
process.send({ port })
