import { SEED } from '../inputs.mjs'
import { inputs } from '../library.mjs'
import { expect } from '../measure.mjs'
import { loadOfficialParser } from '../official-parser.mjs'
import { push } from '../push.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'official',
  measures: 'translation, one token per push, beside the official parser (wasm): process and lastContentDelta alone',
  target: 'at least 4 times its throughput on a message of 100,000 varied tokens',

  async run({ compare, size }) {
    const createParser = await loadOfficialParser()
    const official = {
      name: 'official',
      run: ({ ids }) => parse(createParser(), ids),
      // It loses the text after an invalid byte, so its output is compared only if there is none.
      check({ parser, length, refused }, { text, isInvalid = false }) {
        const content = parser.currentContent
        parser.free()
        if (isInvalid) return
        expect(refused === 0 && length === text.length, 'the official parser: not the text of the tokens')
        // Its message is over: it shows an empty one.
        expect(content === '', 'the official parser: the message is not over')
      },
    }
    const contenders = [push, official]
    const long = size(100_000, 1_000)
    // Once it has met an invalid byte, the official parser decodes everything since then again for each token.
    const short = size(2_000, 300)
    const cases = [
      ['100,000 varied tokens', (seed) => inputs.varied(long, seed), { atLeast: 4 }],
      ['300 varied tokens', (seed) => inputs.varied(300, seed)],
      ['100,000 tokens, common ones more often', (seed) => inputs.skewed(long, seed)],
      ['100,000 tokens of repeating text', (seed) => inputs.repeating(long, seed)],
      ['2,000 tokens of invalid UTF-8', (seed) => ({ ...inputs.invalid(short, seed), isInvalid: true })],
    ]
    const rows = []
    for (const [figure, make, target] of cases) {
      const times = await compare(contenders, (round) => make(SEED + round))
      const note = `${Math.round(times.ns('push'))} ns/token, official ${Math.round(times.ns('official'))}`
      rows.push({ figure, value: times.ratio('official', 'push'), unit: 'x', ...target, note })
    }
    return rows
  },
}

function parse(parser, ids) {
  let length = 0
  let refused = 0
  for (const id of ids) {
    try {
      parser.process(id)
      length += parser.lastContentDelta.length
    } catch {
      refused += 1
    }
  }
  return { parser, length, refused }
}
