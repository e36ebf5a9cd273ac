// An engine's server whose model costs nothing, at a fixed pace: node upstream.mjs, with an IPC channel. It speaks what vLLM
// does: `/v1/completions` with token ids, and its own `/v1/responses`, which rivals pass on.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createSseEncoder } from '../../dist/core/sse/index.js'
import { createEncoder } from '../../dist/core/tokens/index.js'
import { loadTokenTable, translateBatches } from '../../dist/index.js'

const tokenTable = await loadTokenTable()
const encode = createEncoder(tokenTable)
const [RETURN, CHANNEL, START, MESSAGE] = [200002, 200005, 200006, 200008]
const MODEL = 'gpt-oss'
const TEXT = ' the quick brown fox jumps over the lazy dog and then sleeps'

/** The frames of a stream, by its path, and the whole response, all with the same ids. */
let frames = {}
let whole = ''
/** The milliseconds between two steps; 0 is as fast as streams are read. */
let everyMs = 0
/** The number of streams that begin together, so that all are at the same token. */
let together = 1
/** When each frame was written, in milliseconds of the machine's clock, if streams begin together. */
let steps = []
/** Streams that wait for the others. */
const gathered = []
const streams = new Set()
let timer

/** Writes the next frame of each stream, as an engine does that computes a token of each at once. */
function step() {
  for (const stream of streams) {
    steps[stream.at] ??= Number(process.hrtime.bigint()) / 1e6
    stream.response.write(stream.frames[stream.at++])
    if (stream.at < stream.frames.length) continue
    stream.response.end()
    streams.delete(stream)
  }
}

let answered = 0
const BETWEEN = '\0'

/** A server that stores responses refuses two with the same id. */
function withNewIds(text) {
  const suffix = String(++answered).padStart(12, '0')
  return text.replaceAll(/"((?:resp|msg)_\w+)\w{12}"/g, `"$1${suffix}"`)
}

function play(response, list) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (everyMs === 0) return response.end(withNewIds(list.join('')))
  const stream = { response, frames: withNewIds(list.join(BETWEEN)).split(BETWEEN), at: 0 }
  response.on('close', () => streams.delete(stream))
  gathered.push(stream)
  if (gathered.length < together) return
  for (const one of gathered.splice(0)) streams.add(one)
}

const frame = (data) => `data: ${JSON.stringify(data)}\n\n`

function completion(ids) {
  const about = { id: 'cmpl-0123456789abcdef', object: 'text_completion', created: 1_700_000_000, model: MODEL }
  const choice = { index: 0, logprobs: null, finish_reason: null, stop_reason: null }
  const of = (id) => ({ ...choice, text: tokenTable.text(id) ?? '', token_ids: [id] })
  const list = ids.slice(0, -1).map((id) => frame({ ...about, choices: [of(id)] }))
  list.push(frame({ ...about, choices: [{ ...of(RETURN), finish_reason: 'stop' }] }))
  const usage = { prompt_tokens: 70, completion_tokens: ids.length, total_tokens: 70 + ids.length }
  list.push(`${frame({ ...about, choices: [], usage })}data: [DONE]\n\n`)
  return list
}

const answerJson = (response, body) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body))

const server = createServer(async (incoming, response) => {
  const parts = []
  for await (const part of incoming) parts.push(part)
  const { pathname } = new URL(incoming.url, 'http://localhost')
  if (incoming.method === 'GET') {
    return answerJson(response, {
      object: 'list',
      data: [{ id: MODEL, object: 'model', owned_by: 'vllm', max_model_len: 131_072 }],
    })
  }
  if (pathname === '/tokenize') return answerJson(response, { count: 1, tokens: [START] })
  const isStreamed = JSON.parse(Buffer.concat(parts).toString()).stream === true
  if (frames[pathname] === undefined) return response.writeHead(404).end()
  if (isStreamed) play(response, frames[pathname])
  else answerJson(response, withNewIds(whole))
})

const commands = {
  async script({ tokens, everyMs: ms, together: count = 1 }) {
    everyMs = ms
    together = count
    steps = []
    const text = TEXT.repeat(Math.ceil(tokens / 12))
    const ids = [CHANNEL, ...encode('final'), MESSAGE, ...encode(text).slice(0, tokens), RETURN]
    const write = createSseEncoder()
    const written = []
    for await (const batch of translateBatches(ids, { tokenTable, request: { model: MODEL, input: 'Go on.' } })) {
      written.push(batch.map(write).join(''))
      whole = JSON.stringify(batch.at(-1).response)
    }
    frames = { '/v1/completions': completion(ids), '/v1/responses': written }
    clearInterval(timer)
    if (ms > 0) timer = setInterval(step, ms)
    return {
      first: {
        completions: ids.indexOf(MESSAGE) + 1,
        responses: written.findIndex((text) => text.includes('.delta"')),
      },
    }
  },
  steps: () => steps,
}

process.on('message', async ({ command, options }) => process.send(await commands[command](options)))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send({ port: server.address().port })
