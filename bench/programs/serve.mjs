// A server of one kind, whose engine steps for all of its streams at once: node serve.mjs KIND, with an IPC channel.
//
//   node   our endpoint, on Node's own responses
//   web    our endpoint, on web streams, as any runtime that speaks fetch runs it
//   memory our endpoint, whose responses are kept in its memory
//   sqlite our endpoint, whose responses are kept in a file: node serve.mjs sqlite FILE [LEASE_SECONDS]
//   postgres the same, in a database: node serve.mjs postgres URL [LEASE_SECONDS]
//   redis    the same, in Redis: node serve.mjs redis URL [LEASE_SECONDS]
//   push node:http and a translator that each token is pushed into, without parsing a request, a prompt or a loop
//   send   node:http and sendEvents, with the same events from memory: HTTP without prompt, loop and translation
//   bare   node:http that writes the same frames from memory
//   stream a web stream that gives the same frames from memory, on the server that `web` runs on
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { serve } from '@hono/node-server'
import pg from 'pg'
import { createClient } from 'redis'
import { createSseEncoder } from '../../dist/core/sse/index.js'
import { createEncoder } from '../../dist/core/tokens/index.js'
import { createResponsesApp } from '../../dist/endpoint/server/index.js'
import { sendEvents, serveResponses } from '../../dist/endpoint/server/node.js'
import { createMemoryStore } from '../../dist/endpoint/stores/index.js'
import { createPostgresStore } from '../../dist/endpoint/stores/postgres/index.js'
import { createRedisStore } from '../../dist/endpoint/stores/redis/index.js'
import { createSqliteStore } from '../../dist/endpoint/stores/sqlite/index.js'
import { loadTokenTable, Translator, translateBatches } from '../../dist/index.js'
import { scriptedEngine } from '../../dist/testing/index.js'
import { watchTurns } from '../turns.mjs'

const [kind, place, leaseSeconds = '1'] = process.argv.slice(2)
const tokenTable = await loadTokenTable()
const CHANNEL = 200005
const MESSAGE = 200008
const RETURN = 200002
const REQUEST = { model: 'gpt-oss', input: 'Go on.' }

/** How many tokens an answer has, and the milliseconds between two; 0 is as fast as the machine can. */
let tokens = 0
let everyMs = 0
/** The number of tokens after which streams stay open without another. */
let holdAfter = Number.POSITIVE_INFINITY
let ids = []
let frames = []
let batches = []
/** The number of streams that begin together, so that all are at the same token. */
let together = 1
/** The start of each step, in milliseconds of the machine's clock, with which clients compare. */
let steps = []

/** Streams wait for the next step together, as they do in an engine that computes a token of each at once. */
let waiting = []
let isStepping = false
function nextStep(at) {
  return new Promise((resolve) => {
    waiting.push({ at, resolve })
    if (isStepping || (at === 0 && waiting.length < together)) return
    isStepping = true
    const step = () => {
      isStepping = false
      const now = Number(process.hrtime.bigint()) / 1e6
      const ready = waiting
      waiting = []
      for (const { at, resolve } of ready) {
        steps[at] ??= now
        resolve()
      }
    }
    if (everyMs === 0) setImmediate(step)
    else setTimeout(step, everyMs)
  })
}

// A hand-written iterator: the cost of an engine's own code is not measured.
const engine = {
  generate(_prompt, { signal } = {}) {
    let at = 0
    const stream = {
      [Symbol.asyncIterator]: () => stream,
      async next() {
        if (at >= holdAfter && at < ids.length)
          await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        if (at >= ids.length || signal?.aborted) return { done: true, value: { reason: 'stop' } }
        const id = ids[at]
        await nextStep(at++)
        return { done: false, value: id }
      },
      async return() {
        at = ids.length
        return { done: true, value: undefined }
      },
    }
    return stream
  },
  health: async () => {},
}

/** The capabilities of some models' engines; all others have none. */
const { refuses, relaxes } = await scriptedEngine([], { constraints: ['json_schema'] }).capabilities()
const CAPABILITIES = {
  small: { contextLength: 4096 },
  strict: { contextLength: 131_072, constraints: ['json_schema'], refuses, relaxes },
}
const engines = new Map(
  Object.entries(CAPABILITIES).map(([model, able]) => [model, { ...engine, capabilities: async () => able }]),
)
const engineOf = (model) => engines.get(model) ?? engine

const common = { engine: engineOf, tokenTable, limits: { concurrency: 5_000, queue: 5_000 }, keepAliveMs: 0 }

/** An iterator by hand, as the endpoint's own is. */
function fromMemory() {
  let at = 0
  const stream = {
    [Symbol.asyncIterator]: () => stream,
    async next() {
      if (at >= batches.length) return { done: true, value: undefined }
      await nextStep(at)
      return { done: false, value: batches[at++] }
    },
    async return() {
      at = batches.length
      return { done: true, value: undefined }
    },
  }
  return stream
}

/** The minimal translating server: one callback for each token, from the engine to the socket. */
function pushTokens(response) {
  const translator = new Translator({ tokenTable, request: REQUEST })
  const encode = createSseEncoder()
  const stream = engine.generate([])
  const send = (events) => {
    const text = events.map(encode).join('')
    if (text !== '') response.write(text)
  }
  const take = ({ done, value }) => {
    send(done ? translator.end('stop') : translator.push(value))
    if (done) response.end()
    else stream.next().then(take)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.on('close', () => stream.return())
  send(translator.start())
  stream.next().then(take)
}

/** The minimal server of web streams. */
function streamFromMemory() {
  const utf8 = new TextEncoder()
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (at >= frames.length) return controller.close()
        await nextStep(at)
        controller.enqueue(utf8.encode(frames[at++]))
      },
    },
    { highWaterMark: 0 },
  )
}

async function serveFetch(fetch) {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
  if (!server.listening) await once(server, 'listening')
  return server.address().port
}

let sqlite
let copies = 0

async function keptInPostgres() {
  const client = new pg.Client({ connectionString: place })
  await client.connect()
  const { rows } = await client.query(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'harmony_responses'",
  )
  let size = 0
  for (const { name } of rows) {
    await client.query(`VACUUM FULL ${name}`)
    size += Number((await client.query('SELECT pg_total_relation_size($1) AS size', [name])).rows[0].size)
  }
  await client.end()
  return size
}

/** The bytes of memory that its keys take. */
async function keptInRedis() {
  const client = createClient({ url: place })
  await client.connect()
  const info = await client.info('memory')
  client.destroy()
  return Number(/used_memory_dataset:(\d+)/.exec(info)[1])
}

/** The owner of a request is its key. */
const byKey = (request) => request.headers.get('authorization')?.slice(7) ?? 'anonymous'

/** Uses a lease that expires a second after the process dies, or as given. */
async function serveStored(store) {
  const limits = { ...common.limits, leaseSeconds: Number(leaseSeconds) }
  return (await serveResponses({ ...common, authorize: byKey, limits, store, onDisconnect: 'finish', port: 0 })).port
}

async function start() {
  if (kind === 'memory') return await serveStored(createMemoryStore())
  if (kind === 'sqlite') {
    sqlite = await createSqliteStore({ file: place })
    return await serveStored(sqlite)
  }
  if (kind === 'postgres') return await serveStored(await createPostgresStore({ url: place }))
  if (kind === 'redis') return await serveStored(await createRedisStore({ url: place }))
  if (kind === 'node') return (await serveResponses({ ...common, port: 0 })).port
  if (kind === 'web') {
    const { fetch } = createResponsesApp(common)
    return await serveFetch((request) => fetch(request))
  }
  if (kind === 'stream') {
    return await serveFetch(async (request) => {
      await request.text()
      return new Response(streamFromMemory(), { headers: { 'content-type': 'text/event-stream' } })
    })
  }
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (kind === 'push') return pushTokens(response)
    if (kind === 'send') return await sendEvents(response, fromMemory(), { keepAliveMs: 0 })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let isGone = false
    response.on('close', () => {
      isGone = true
    })
    for (let at = 0; at < frames.length && !isGone; at++) {
      if (at >= holdAfter) await once(response, 'close')
      await nextStep(at)
      response.write(frames[at])
    }
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

/** Begins with the first call of `longestTurn`. */
let turns

const stalls = monitorEventLoopDelay({ resolution: 1 })

const commands = {
  /** The longest turn since the last call, in milliseconds of processor time. */
  async longestTurn() {
    turns ??= await watchTurns()
    return turns.longestOfProcess()
  },
  /** The longest turn of its thread since the last call. */
  longestOfThread: () => turns.longestOfThread(),
  async script(options) {
    tokens = options.tokens
    everyMs = options.everyMs
    together = options.together ?? 1
    holdAfter = options.holdAfter ?? Number.POSITIVE_INFINITY
    steps = []
    const text = ' the quick brown fox jumps over the lazy dog and then sleeps'.repeat(Math.ceil(tokens / 12))
    const encode = createEncoder(tokenTable)
    ids = [CHANNEL, ...encode('final'), MESSAGE, ...encode(text).slice(0, tokens), RETURN]
    frames = []
    batches = []
    const write = createSseEncoder()
    for await (const batch of translateBatches(ids, { tokenTable, request: REQUEST })) {
      batches.push(batch)
      frames.push(batch.map(write).join(''))
    }
    const isOurs = ['node', 'web', 'push', 'memory', 'sqlite', 'postgres', 'redis'].includes(kind)
    const first = isOurs ? ids.indexOf(MESSAGE) + 1 : frames.findIndex((frame) => frame.includes('.delta"'))
    return { bytes: Buffer.byteLength(frames.join('')), first }
  },
  /** Returns the size of the database, without its free pages. */
  async kept() {
    if (kind === 'postgres') return await keptInPostgres()
    if (kind === 'redis') return await keptInRedis()
    const copy = `${place}.${++copies}`
    await sqlite.backup(copy)
    return statSync(copy).size
  },
  /** Its threads included. */
  cpu: () => process.cpuUsage(),
  /** The longest stall of the event loop since the last call, in milliseconds. */
  stall() {
    const longest = stalls.max / 1e6
    stalls.reset()
    stalls.enable()
    return longest
  },
  steps: () => steps,
  memory() {
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    return { heap: heapUsed + external, rss }
  },
}

process.on('message', async ({ command, options }) => process.send(await commands[command](options)))
process.send({ port: await start() })
