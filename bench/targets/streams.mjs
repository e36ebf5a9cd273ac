import { bytesOf, heapOf } from '../heap.mjs'
import { inChunks, SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'streams',
  measures: 'thousands of translators in the middle of their messages: what each keeps, and their pace in turns',
  target: 'of 10,000, each at most 3 kB beyond its text; together at least 0.7 times the throughput of one',

  async run({ compare, size }) {
    const count = size(10_000, 100)
    const rows = [
      memoryRow(`${LENGTH} tokens each`, count, LENGTH, {}, { atMost: 3 }),
      memoryRow('nothing said yet', count, 0, {}),
      memoryRow(`${LENGTH} tokens each, five tools declared`, count, LENGTH, { tools: fiveTools() }),
    ]
    // For comparison: as many as fit the processor's cache.
    const few = size(100, 10)
    const contenders = [interleaved('all', count), interleaved('few', few), one]
    const times = await compare(contenders, (round) => inputs.varied(count * 20, SEED + round))
    const pace = (streams, name, target) => ({
      figure: `throughput of ${streams} in turns / of one stream`,
      value: times.ratio('one', name),
      unit: 'x',
      ...target,
      note: `${times.ns(name).toFixed(0)} ns/token, alone ${times.ns('one').toFixed(0)}`,
    })
    return [...rows, pace(count, 'all', { atLeast: 0.7 }), pace(few, 'few')]
  },
}

const LENGTH = 100

function memoryRow(figure, count, length, request, target = {}) {
  const messages = inChunks(inputs.varied(count * Math.max(1, length), SEED).ids.slice(3, -1), Math.max(1, length))
  const texts = messages.slice(0, count).map((ids) => (length === 0 ? [] : ids))
  const make = () => texts.map((ids) => inMessage(request, ids))
  // Warms up the measured code, so that compilation does not count.
  make()
  const { kept, bytes } = heapOf(make)
  const said = kept.map(({ response }) => response.output[0].content[0].text)
  const last = texts.at(-1).map((id) => tokenTable.text(id))
  expect(said.at(-1) === last.join(''), 'not the text of the tokens')
  const textBytes = length === 0 ? 0 : said.reduce((sum, text) => sum + bytesOf(text), 0)
  const note = `${(bytes / count / 1000).toFixed(2)} kB, of it text ${(textBytes / count / 1000).toFixed(2)} kB`
  return {
    figure: `heap per stream beyond its text, ${figure}`,
    value: (bytes - textBytes) / count / 1000,
    unit: 'kB',
    ...target,
    note,
  }
}

/** A translator in the middle of a message. */
function inMessage(request, ids = []) {
  const translator = new Translator({ tokenTable, request })
  for (const id of [200005, 17196, 200008, ...ids]) translator.push(id)
  return translator
}

function fiveTools() {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', description: 'Where' } },
    required: ['city'],
  }
  const names = ['get_weather', 'get_time', 'look_up', 'send_mail', 'book']
  return names.map((name) => ({ type: 'function', name, description: `Does ${name}`, parameters, strict: true }))
}

/** Each stream takes a token, then each takes the next; the messages go on from run to run. */
function interleaved(name, count) {
  const translators = Array.from({ length: count }, () => inMessage({}))
  return {
    name,
    run: ({ ids }) => pushInTurns(translators, ids),
    check(events, { ids }) {
      expect(events === ids.length - 4, `${name}: not one event per token`)
      for (const [at, translator] of translators.slice(0, 3).entries()) {
        const own = ids.slice(3, -1).filter((_, index) => index % count === at)
        const said = translator.response.output[0].content[0].text
        expect(said.endsWith(own.map((id) => tokenTable.text(id)).join('')), `${name}: not the text of its tokens`)
      }
    },
  }
}

const one = {
  name: 'one',
  run: ({ ids }) => pushInTurns([inMessage({})], ids),
  check: (events, { ids }) => expect(events === ids.length - 4, 'one: not one event per token'),
}

/** The tokens of a message's text, to the translators in turns. */
function pushInTurns(translators, ids) {
  const ring = new Array(1024).fill(null)
  let events = 0
  for (let at = 3; at < ids.length - 1; at++) {
    const made = translators[(at - 3) % translators.length].push(ids[at])
    ring[at & 1023] = made
    events += made.length
  }
  return ring[(ids.length - 2) & 1023] === null ? 0 : events
}
