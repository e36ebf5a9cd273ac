// The contender of most targets: ids in, event objects out, one token per push, as a server does it.
import { Translator, tokenTable } from './library.mjs'
import { expect } from './measure.mjs'

/** Keeps the last events, so that the engine cannot optimize their creation away. */
const RING = 1024

/** @type {import('./measure.mjs').Contender<import('./inputs.mjs').Message, any>} */
export const push = {
  name: 'push',
  run({ ids }) {
    const translator = new Translator({ tokenTable })
    const ring = new Array(RING).fill(null)
    let count = 0
    for (let at = 0; at < ids.length; at++) {
      const events = translator.push(ids[at])
      count += events.length
      ring[at % RING] = events
    }
    const last = translator.end('stop')
    return { translator, ring, count: count + last.length, last }
  },
  check({ ring, count, last }, { ids, text }) {
    const { type, response, sequence_number } = last.at(-1)
    expect(type === 'response.completed', `push: ended with ${type}`)
    expect(response.output[0].content[0].text === text, 'push: not the text of the tokens')
    expect(count === sequence_number + 1, 'push: not as many events as were numbered')
    expect(endsWithDeltas(text, deltasIn(ring, ids.length)), 'push: not the deltas of the last tokens')
  },
}

/** The text of the delta events that the ring holds, in order; it was written `writes` times. */
function deltasIn(ring, writes) {
  const inOrder = [...ring.slice(writes % RING), ...ring.slice(0, writes % RING)]
  return inOrder.map((events) => events?.map(({ delta = '' }) => delta).join('') ?? '').join('')
}

/** The rest of half a character comes with the end, not with a token. */
function endsWithDeltas(text, deltas) {
  return deltas !== '' && [text, text.slice(0, -1)].some((said) => said.endsWith(deltas))
}
