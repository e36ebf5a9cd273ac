import { SEED } from '../inputs.mjs'
import { inputs, tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'
import { push } from '../push.mjs'

const RING = 1024
const BLOCK = 64

/** @type {import('../target.mjs').Target} */
export default {
  name: 'limit',
  measures: 'translation, one token per push, beside a loop that only makes the same delta events of known texts',
  target: 'at most 2 times the time of a loop that makes the whole text too',

  async run({ compare, size }) {
    const count = size(100_000, 1_000)
    const rows = []
    const cases = [
      ['100,000 varied tokens', inputs.varied],
      ['100,000 tokens, common ones more often', inputs.skewed],
    ]
    for (const [figure, make] of cases) {
      const times = await compare([push, limit, whole], (round) => make(count, SEED + round))
      const row = (name, target) => ({
        value: times.ratio('push', name),
        unit: 'x',
        ...target,
        note: `${times.ns('push').toFixed(0)} ns/token, the loop ${times.ns(name).toFixed(0)}`,
      })
      // The target was 3 times the bare loop, which never makes the text that the last events of every message contain.
      rows.push({ figure, ...row('limit') })
      rows.push({ figure: 'beside a loop that makes the whole text too', ...row('whole', { atMost: 2 }) })
    }
    return rows
  },
}

/**
 * The least that a translator could do with a token: look up its text, keep it, and return it in an array of one event.
 */
const limit = {
  name: 'limit',
  run({ ids }) {
    const ring = new Array(RING).fill(null)
    const texts = []
    // Past the message's header, up to its terminator.
    for (let at = 3; at < ids.length - 1; at++) {
      const text = tokenTable.text(ids[at])
      texts.push(text)
      ring[at % RING] = eventsOf(at, text)
    }
    return { ring, texts }
  },
  check({ ring, texts }, message) {
    expect(texts.join('') === message.text, 'limit: not the text of the tokens')
    checkLast(ring, message)
  },
}

/**
 * Does the same, and also makes the whole text, which the last events of a message contain. It is joined in blocks,
 * since joining all texts at the end takes longer.
 */
const whole = {
  name: 'whole',
  run({ ids }) {
    const ring = new Array(RING).fill(null)
    const blocks = []
    let texts = []
    for (let at = 3; at < ids.length - 1; at++) {
      const text = tokenTable.text(ids[at])
      ring[at % RING] = eventsOf(at, text)
      texts[texts.length] = text
      if (texts.length < BLOCK) continue
      blocks.push(texts.join(''))
      texts = []
    }
    return { ring, text: blocks.join('') + texts.join('') }
  },
  check({ ring, text }, message) {
    expect(text === message.text, 'whole: not the text of the tokens')
    checkLast(ring, message)
  },
}

function eventsOf(at, delta) {
  return [
    {
      type: 'response.output_text.delta',
      sequence_number: at + 1,
      item_id: 'msg_0123456789abcdef0123456789abcdef0123456789abcdef01',
      output_index: 0,
      content_index: 0,
      delta,
      logprobs: [],
    },
  ]
}

function checkLast(ring, { ids, text }) {
  const [{ delta }] = ring[(ids.length - 2) % RING]
  expect(text.endsWith(delta), 'limit: not the delta of the last token')
}
