import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import WebSocket from 'ws'
import { attacksByKind } from '../attacks-by-kind.mjs'
import { longConversation } from '../long-conversation.mjs'
import { expect } from '../measure.mjs'
import { startProgram } from '../start-program.mjs'

/** The longest turn of the thread that serves the streams, in milliseconds of processor time. */
const TURN = 100
const EVERY_MS = 20

/** @type {import('../target.mjs').Target} */
export default {
  name: 'fair',
  measures: 'the longest turn of the thread that serves other streams while one owner attacks, by processor time',
  target: `at most ${TURN} ms, and the process grows by at most 1.5 times what it counts`,

  run: async (measure) => [
    ...(await largeBodies(measure)),
    ...(await attacksByKind(measure)),
    ...(await longConversation(measure)),
  ],
}

/** @returns the rows: of each body the longest turn while it is sent */
async function largeBodies({ size, isWanted }) {
  const tiny = [...attacks((_, tiny) => tiny)]
  if (!tiny.some(({ name }) => isWanted(name))) return []
  const load = await startProgram('load')
  const server = await startProgram('serve', 'node')
  try {
    await server.ask('script', { tokens: size(40_000, 2_000), everyMs: EVERY_MS })
    await load.ask('watch', { port: server.port, count: size(200, 5) })
    // Sends a request of each kind, so that the measured code is compiled and loaded.
    for (const attack of tiny) await send(server.port, attack)
    await wait(size(2_000, 100))
    await load.ask('gap')
    await wait(size(5_000, 100))
    const quiet = (await load.ask('gap')).gap
    await server.ask('longestTurn')
    await server.ask('longestOfThread')
    const rows = []
    for (const attack of attacks(size)) {
      if (!isWanted(attack.name)) continue
      const before = performance.now()
      const { answer } = await send(server.port, attack)
      const seconds = (performance.now() - before) / 1000
      // Work that is running at the answer's end is part of the gap, too.
      await wait(10 * EVERY_MS)
      const { gap, open } = await load.ask('gap')
      const turn = await server.ask('longestOfThread')
      expect(open === size(200, 5), `${attack.name}: ${open} streams are left`)
      rows.push({
        figure: attack.name,
        value: turn,
        unit: 'ms',
        atMost: TURN,
        note: `longest gap of 200 streams ${gap.toFixed(0)} ms, without it ${quiet.toFixed(0)}; ${answer} in ${seconds.toFixed(1)} s`,
      })
    }
    return rows
  } finally {
    for (const { child } of [load, server]) child.kill()
  }
}

/** The bodies, made one by one: together they would take 200 MB. */
function* attacks(size) {
  yield post('20 MB of one letter, counted', { input: 'a'.repeat(size(20e6, 2e3)) }, '/responses/input_tokens')
  yield post('4 MB of random letters', { input: letters(size(4e6, 1e3)) })
  yield { name: '30 MB of brackets', path: '/responses', body: '[]'.repeat(size(15e6, 1e3)) }
  yield post('99,999 small messages', {
    input: Array.from({ length: size(99_999, 9) }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at}.`,
    })),
  })
  const bytes = Buffer.from(letters(size(12e6, 1e4)))
  yield post('16 MB of base64 before a context of 4,096', { model: 'small', input: bytes.toString('base64') })
  yield { name: '20,000 response.create on one socket', frames: size(20_000, 5) }
  yield post('1,000 optional properties, strict', strict(objectOf(size(1000, 5), () => ({ type: 'string' }))))
  yield post('1,000 strict tools of 100 patterns', {
    model: 'strict',
    input: 'Go on.',
    tools: Array.from({ length: size(1000, 2) }, (_, tool) => ({
      type: 'function',
      name: `tool_${tool}`,
      strict: true,
      parameters: objectOf(size(100, 2), (at) => ({ type: 'string', pattern: `^[a-z]{${at + 1}}-${tool}$` }), true),
    })),
  })
  const depth = size(18, 2)
  const pair = (at) => ({ anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] })
  const $defs = Object.fromEntries(Array.from({ length: depth }, (_, at) => [`d${at}`, pair(at)]))
  $defs[`d${depth}`] = { type: 'string' }
  yield post('anyOf of 2^18 leaves, strict', strict({ ...objectOf(1, () => ({ $ref: '#/$defs/d0' }), true), $defs }))
}

function post(name, request, path = '/responses') {
  return { name, path, body: JSON.stringify({ store: false, max_output_tokens: 16, ...request }) }
}

function strict(parameters) {
  return { model: 'strict', input: 'Go on.', tools: [{ type: 'function', name: 'f', strict: true, parameters }] }
}

function objectOf(count, propertyOf, isRequired = false) {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, at) => [`property_${at}`, propertyOf(at)]))
  const required = isRequired ? Object.keys(properties) : []
  return { type: 'object', properties, required, additionalProperties: false }
}

/** The same in each run. */
function letters(count) {
  let state = 1
  const codes = Buffer.alloc(count)
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    codes[at] = 97 + ((state >> 16) % 26)
  }
  return codes.toString('latin1')
}

async function send(port, { path, body, frames }) {
  return frames === undefined ? await sendBody(port, path, body) : await sendFrames(port, frames)
}

function sendBody(port, path, body) {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ port, host: '127.0.0.1', method: 'POST', path: `/v1${path}` },
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        const result = { answer: `${answer.statusCode}` }
        answer.resume()
        answer.on('close', () => resolve(result))
      },
    )
    // A server that refuses a body does not read it to its end.
    asked.on('error', (error) => (asked.res ? undefined : reject(error)))
    asked.end(body)
  })
}

/** Resolves when each message is answered, or the socket is closed. */
function sendFrames(port, count) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`)
    let [answered, refused] = [0, 0]
    const end = (answer) => resolve({ answer })
    socket.on('open', () => {
      const frame = JSON.stringify({ type: 'response.create', input: 'Hi', store: false, max_output_tokens: 16 })
      for (let sent = 0; sent < count; sent++) socket.send(frame)
    })
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data))
      if (type === 'error') refused += 1
      else if (type !== 'response.completed' && type !== 'response.incomplete' && type !== 'response.failed') return
      answered += 1
      if (answered < count) return
      socket.close()
      end(`${answered} answers, ${refused} of them errors,`)
    })
    socket.on('close', (code) => {
      end(`closed with ${code} after ${answered} answers`)
    })
    socket.on('error', reject)
  })
}
