import { createEncoder } from '../../dist/core/tokens/index.js'
import { respond } from '../../dist/endpoint/respond/index.js'
import { tokenStream } from '../../dist/engines/contract/index.js'
import { MARKER } from '../inputs.mjs'
import { tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'

const CALLS = 20
const encode = createEncoder(tokenTable)

/** @type {import('../target.mjs').Target} */
export default {
  name: 'pause',
  measures:
    `a response of ${CALLS} strict calls beside the same that are free, by an engine that takes no time: what is more is ` +
    'the pauses, of which each is one more call of the engine with all of its context in the cache',
  target:
    '200 µs of our own time for a pause after a prompt of 1,000 tokens, which a step of an engine takes many times',

  async run({ compare, size }) {
    const rows = []
    for (const [what, words] of Object.entries({ '1,000': size(1_000, 10), '100,000': size(100_000, 100) })) {
      const input = inputOf(words)
      const times = await compare([held, free], () => input)
      const pauses = input.calls.held - input.calls.free
      rows.push({
        figure: `our own time for a pause, after a prompt of ${what}`,
        value: ((times.ns('held') - times.ns('free')) * CALLS) / pauses / 1000,
        unit: 'µs',
        ...(what === '1,000' && { atMost: 200 }),
        note: `${input.calls.held} calls of the engine, free ${input.calls.free}`,
      })
    }
    return rows
  },
}

/** A turn of strict calls, and a prompt of about so many tokens. */
function inputOf(words) {
  const header = [MARKER.channel, ...encode('commentary to=functions.read ')]
  const body = encode('{"path":"src/index.ts","line":42}')
  const message = [...header, MARKER.constrain, ...encode('json'), MARKER.message, ...body]
  const next = [MARKER.end, MARKER.start, ...encode('assistant')]
  const turn = Array.from({ length: CALLS }, () => [...message, ...next]).flat()
  const parameters = {
    type: 'object',
    properties: { path: { type: 'string' }, line: { type: 'integer' } },
    required: ['path', 'line'],
    additionalProperties: false,
  }
  return {
    request: {
      input: 'word '.repeat(words),
      tools: [{ type: 'function', name: 'read', parameters, strict: true }],
    },
    turn: [...turn.slice(0, -next.length), MARKER.call],
    units: CALLS,
    calls: { held: 0, free: 0 },
  }
}

const held = contender('held', { constraints: ['json_schema'] })
const free = contender('free', {})

/** @returns {import('../measure.mjs').Contender<ReturnType<typeof inputOf>, readonly unknown[]>} */
function contender(name, capabilities) {
  return {
    name,
    async run({ request, turn, calls }) {
      let at = 0
      let count = 0
      const engine = {
        generate(_context, { stop = [], constraint } = {}) {
          count += 1
          // A text that is complete is followed by an end, as under a grammar.
          const ends = constraint === undefined ? stop : [MARKER.end, MARKER.call]
          const end = turn.findIndex((id, index) => index >= at && ends.includes(id))
          const from = at
          at = end === -1 ? turn.length : end + 1
          const tokens = turn.slice(from, at)
          return tokenStream(async function* () {
            yield* tokens
            return { reason: 'stop' }
          })
        },
        health: async () => {},
        capabilities: async () => capabilities,
      }
      let last = []
      for await (const events of respond(request, { engine, tokenTable, responseId: 'resp_1', clock: () => 0 })) {
        if (events.length > 0) last = events
      }
      calls[name] = count
      return last
    },
    check(events) {
      const { response } = events.at(-1)
      const isRight = response.output.every((item) => JSON.parse(item.arguments).line === 42)
      expect(response.status === 'completed' && response.output.length === CALLS && isRight, 'not the calls')
    },
  }
}
