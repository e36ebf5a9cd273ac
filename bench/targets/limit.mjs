import { SEED } from '../inputs.mjs'
import { inputs, tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'
import { push } from '../push.mjs'

const RING = 1024

/** @type {import('../target.mjs').Target} */
export default {
  name: 'limit',
  measures: 'translation, one token per push, beside a loop that only makes the same delta events of known texts',
  target: "at most 3 times the loop's time",

  async run({ compare, size }) {
    const count = size(100_000, 1_000)
    const rows = []
    const cases = [
      ['100,000 varied tokens', inputs.varied],
      ['100,000 tokens, common ones more often', inputs.skewed],
    ]
    for (const [figure, make] of cases) {
      const times = await compare([push, limit], (round) => make(count, SEED + round))
      const note = `${times.ns('push').toFixed(0)} ns/token, the loop ${times.ns('limit').toFixed(0)}`
      rows.push({ figure, value: times.ratio('push', 'limit'), unit: 'x', atMost: 3, note })
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
      ring[at % RING] = [
        {
          type: 'response.output_text.delta',
          sequence_number: at + 1,
          item_id: 'msg_0123456789abcdef0123456789abcdef0123456789abcdef01',
          output_index: 0,
          content_index: 0,
          delta: text,
          logprobs: [],
        },
      ]
    }
    return { ring, texts }
  },
  check({ ring, texts }, { ids, text }) {
    expect(texts.join('') === text, 'limit: not the text of the tokens')
    const [{ delta }] = ring[(ids.length - 2) % RING]
    expect(text.endsWith(delta), 'limit: not the delta of the last token')
  },
}
