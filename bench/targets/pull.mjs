import { inChunks, SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable, translate, translateBatches } from '../library.mjs'
import { expect } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'pull',
  measures: 'what the pulling side adds to the pushing side: translateBatches() and translate() over a list of chunks',
  target:
    'chunks of 16: translateBatches() within 1.3 times push and one async hop per chunk, ' +
    'translate() within 2.5 times push',

  async run({ compare, size }) {
    const count = size(100_000, 500)
    const chunked = (chunk) => (round) => {
      const message = inputs.varied(count, SEED + round)
      const chunks = chunk === 1 ? message.ids : inChunks(message.ids, chunk)
      // Figures are per chunk: hops are.
      return { ...message, chunks, units: chunks.length }
    }
    const by16 = await compare([batches, each, pushed, hopped, awaited(batches), awaited(hopped)], chunked(16))
    const by1 = await compare([batches, each, hopped], chunked(1))
    const row = (figure, times, name, other, target = {}) => ({
      figure,
      value: times.ratio(name, other),
      unit: 'x',
      ...target,
      note: `${times.ns(name).toFixed(0)} ns/chunk, beside ${times.ns(other).toFixed(0)}`,
    })
    return [
      row('16: translateBatches() / push and one hop', by16, 'batches', 'hopped', { atMost: 1.3 }),
      row('16: translate() / push', by16, 'each', 'pushed', { atMost: 2.5 }),
      row('16: the first, source and generator both async', by16, 'async batches', 'async hopped'),
      row('1: translateBatches() / push and one hop', by1, 'batches', 'hopped'),
      row('1: translate() / push and one hop', by1, 'each', 'hopped'),
    ]
  },
}

const batches = {
  name: 'batches',
  async run({ chunks }) {
    const kept = createKept()
    for await (const events of translateBatches(chunks, { tokenTable })) kept.take(events)
    return kept
  },
  check: checkEvents,
}

const each = {
  name: 'each',
  async run({ chunks }) {
    const kept = createKept()
    for await (const event of translate(chunks, { tokenTable })) kept.takeOne(event)
    return kept
  },
  check: checkEvents,
}

const pushed = {
  name: 'pushed',
  run({ chunks }) {
    const kept = createKept()
    const translator = new Translator({ tokenTable })
    kept.take(translator.start())
    for (const chunk of chunks) kept.take(translator.push(chunk))
    kept.take(translator.end('stop'))
    return kept
  },
  check: checkEvents,
}

/** Pushing from an async generator: the minimal pulling side. */
const hopped = {
  name: 'hopped',
  async run({ chunks }) {
    const kept = createKept()
    for await (const events of pushEachAsync(chunks)) kept.take(events)
    return kept
  },
  check: checkEvents,
}

/** The same contender when the chunks come from an async generator, as an engine's do. */
const awaited = ({ name, run, check }) => ({
  name: `async ${name}`,
  run: ({ chunks }) => run({ chunks: yieldAsync(chunks) }),
  check,
})

async function* pushEachAsync(chunks) {
  const translator = new Translator({ tokenTable })
  yield translator.start()
  if (Symbol.asyncIterator in chunks) for await (const chunk of chunks) yield translator.push(chunk)
  else for (const chunk of chunks) yield translator.push(chunk)
  yield translator.end('stop')
}

async function* yieldAsync(chunks) {
  for (const chunk of chunks) yield chunk
}

/** Keeps the last events, so that the engine cannot optimize their creation away. */
function createKept() {
  const ring = new Array(1024).fill(null)
  return {
    taken: 0,
    events: 0,
    last: null,
    take(events) {
      ring[this.taken++ & 1023] = events
      this.events += events.length
      this.last = events[events.length - 1]
    },
    takeOne(event) {
      ring[this.taken++ & 1023] = event
      this.events += 1
      this.last = event
    },
  }
}

function checkEvents({ events, last }, { text }) {
  expect(last.type === 'response.completed', `ended with ${last.type}`)
  expect(last.response.output[0].content[0].text === text, 'not the text of the tokens')
  expect(events === last.sequence_number + 1, 'not as many events as were numbered')
}
