import { cpuUsage, memoryUsage } from 'node:process'
import { createEncoder } from '../../dist/core/tokens/index.js'
import { renderMessages } from '../../dist/endpoint/prompt/index.js'
import { createResponsesApp } from '../../dist/endpoint/server/index.js'
import { createMemoryStore } from '../../dist/endpoint/stores/index.js'
import { tokenStream } from '../../dist/engines/contract/index.js'
import { MARKER } from '../inputs.mjs'
import { tokenTable } from '../library.mjs'
import { expect, median } from '../measure.mjs'

const encode = createEncoder(tokenTable)
const QUESTION = 'And what about the next one of them?'
const ANSWER = 'It is much the same: one more of these words, and then another one.'
const TURN = [MARKER.channel, ...encode('final'), MARKER.message, ...encode(ANSWER), MARKER.return]

/** @type {import('../target.mjs').Target} */
export default {
  name: 'conversation',
  measures:
    'a conversation by previous_response_id, a question and an answer a turn, by an engine that takes no time: what the ' +
    'store keeps, and how long a turn takes beside one of the first, with the copies of its prompt',
  target: 'what is kept grows with what was said; a turn takes at most 1.5 times as long after 10 times as many',

  async run({ size }) {
    const turns = size(2000, 40)
    // Warms up the measured code, so that compilation does not count.
    const warm = createConversation()
    for (let turn = 0; turn < size(500, 2); turn++) await warm.turn()
    const marks = [turns / 10, turns / 2, turns]
    const conversation = createConversation()
    const rows = []
    const times = new Map()
    const start = { heap: heapNow(), rss: memoryUsage().rss }
    let half = 0
    for (let turn = 1; turn <= turns; turn++) {
      // Some turns up to each mark.
      const mark = marks.find((last) => turn <= last && turn > last - size(50, 2))
      const took = await conversation.turn()
      if (mark !== undefined) times.set(mark, [...(times.get(mark) ?? []), took])
      if (turn === turns / 4) half = conversation.store.memory.bytes
      if (turn === turns / 2) rows.push(...memoryRows(turn, half, conversation.store.memory.bytes, start))
    }
    const [first, ...later] = marks
    const base = median(times.get(first))
    for (const mark of later) {
      const took = median(times.get(mark))
      rows.push({
        figure: `time of turn ${mark} / of turn ${first}`,
        value: took / base,
        unit: 'x',
        atMost: 1.5,
        note: `${took.toFixed(2)} ms, beside ${base.toFixed(2)}`,
      })
    }
    rows.push({
      figure: `appending the ${2 * turns} messages of turn ${turns}, of known ids`,
      value: conversation.copying(turns),
      unit: 'ms',
      note: 'what a turn would take at least if it went through all messages',
    })
    return rows
  },
}

function memoryRows(turns, quarter, bytes, start) {
  const heap = heapNow() - start.heap
  const perTurn = bytes / turns
  return [
    {
      figure: `bytes that a later turn adds / one of the first ${turns / 2}`,
      value: (bytes - quarter) / quarter,
      unit: 'x',
      atMost: 1.1,
      note: `${turns} turns: ${megabytes(bytes)} by the store's count, ${perTurn.toFixed(0)} bytes each`,
    },
    {
      figure: `heap of ${turns} turns / what the store counts`,
      value: heap / bytes,
      unit: 'x',
      atMost: 1.5,
      note: `heap ${megabytes(heap)}, RSS ${megabytes(memoryUsage().rss - start.rss)} more than at the start`,
    },
  ]
}

function createConversation() {
  let contextSize = 0
  const engine = {
    generate(prompt) {
      contextSize = prompt.length
      return tokenStream(async function* () {
        yield TURN
        return { reason: 'stop' }
      })
    },
    health: async () => {},
  }
  const store = createMemoryStore()
  const app = createResponsesApp({ engine, tokenTable, store, authorize: () => 'ann', keepAliveMs: 0 })
  let previous
  const sizes = []
  return {
    store,
    /** Runs one turn, and returns its processor time in milliseconds. */
    async turn() {
      const body = JSON.stringify({ model: 'm', input: QUESTION, ...(previous && { previous_response_id: previous }) })
      const headers = { 'content-type': 'application/json' }
      const request = new Request('http://localhost/v1/responses', { method: 'POST', headers, body })
      const before = now()
      const response = await app.fetch(request)
      const answer = await response.json()
      const took = now() - before
      expect(answer.status === 'completed', JSON.stringify(answer))
      expect(answer.output[0].content[0].text === ANSWER, 'not the answer')
      previous = answer.id
      sizes.push(contextSize)
      expect(sizes.length < 3 || sizes.at(-1) - sizes.at(-2) === sizes[2] - sizes[1], 'not the whole conversation')
      return took
    },
    /** Measures copying the prompt of a turn from a list of messages with known ids. */
    copying(turn) {
      const messages = Array.from({ length: 2 * turn }, () => ({ role: 'user', content: '', tokens: TURN }))
      const samples = Array.from({ length: 7 }, () => {
        const before = performance.now()
        renderMessages(messages, { tokenTable })
        return performance.now() - before
      })
      return median(samples)
    },
  }
}

function heapNow() {
  for (let times = 0; times < 3; times++) globalThis.gc()
  return memoryUsage().heapUsed
}

function now() {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
