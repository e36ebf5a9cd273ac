import { createSseEncoder, sseStream } from '../../dist/core/sse/index.js'
import { inChunks, SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable, translate, translateBatches } from '../library.mjs'
import { expect } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'sse',
  measures: 'tokens to SSE text and to streamed bytes, beside the same events framed with JSON.stringify',
  target: 'text 1.5 times as fast; bytes 2 times where writes join frames',

  async run({ compare, size }) {
    const input = (round) => withFrames(inputs.varied(size(20_000, 500), SEED + round))
    const texts = await compare(
      [text('ours', createSseEncoder), text('stringify', () => stringifyFrame), framing],
      input,
    )
    const bytes = await compare(Object.keys(STREAMS).map(bytesOf), input)
    const row = (figure, times, name, other, target = {}) => {
      const note = `${times.ns(name).toFixed(0)} ns/token, by JSON.stringify ${times.ns(other).toFixed(0)}`
      return { figure, value: times.ratio(other, name), unit: 'x', ...target, note }
    }
    return [
      row('tokens to SSE text', texts, 'ours', 'stringify', { atLeast: 1.5 }),
      row('the same, beside framing alone of events that are there', texts, 'ours', 'framing'),
      row('tokens to bytes, one frame per write', bytes, 'frames', 'stringify'),
      row('tokens to bytes, a batch per write', bytes, 'batches', 'stringify'),
      row('tokens to bytes, 16 tokens per write', bytes, 'joined', 'stringify', { atLeast: 2 }),
    ]
  },
}

// Fixed, so that every contender writes the same bytes.
const options = { tokenTable, responseId: `resp_${'0123456789'.repeat(5)}`, clock: () => 1_700_000_000 }

/** How servers frame events by hand. */
function stringifyFrame(event) {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** The input with its events and their frames. */
function withFrames(input) {
  const events = [...eventsOf(input.ids)].flat()
  return { ...input, events, frames: events.map(stringifyFrame) }
}

/** The events of each token. */
function* eventsOf(ids) {
  const translator = new Translator(options)
  for (const id of ids) yield translator.push(id)
  yield translator.end('stop')
}

// Text

/** Tokens to text, one token per push. */
function text(name, createFraming) {
  return textContender(name, ({ ids }, take) => {
    const frame = createFraming()
    const translator = new Translator(options)
    for (const id of ids) for (const event of translator.push(id)) take(frame(event))
    for (const event of translator.end('stop')) take(frame(event))
  })
}

const framing = textContender('framing', ({ events }, take) => {
  for (const event of events) take(stringifyFrame(event))
})

function textContender(name, write) {
  return {
    name,
    run(input) {
      let waiting = []
      let [length, last] = [0, '']
      // Several frames at a time become one flat text: V8 builds a concatenated text lazily.
      write(input, (frame) => {
        if (waiting.push(frame) < 64) return
        last = waiting.join('')
        length += last.length
        waiting = []
      })
      const rest = waiting.join('')
      return { length: length + rest.length, last: last + rest }
    },
    check: onceWhole(
      ({ length, last }, { frames }) => {
        const written = frames.join('')
        expect(length === written.length && written.endsWith(last), `${name}: not what JSON.stringify makes`)
      },
      (input) => {
        const frames = []
        write(input, (frame) => frames.push(frame))
        expect(frames.join('') === input.frames.join(''), `${name}: not the frames that JSON.stringify makes`)
      },
    ),
  }
}

// Bytes

/** Tokens, one per chunk, to the stream that a server passes to its runtime. All are read in the same way. */
const STREAMS = {
  stringify: (ids) => streamByHand(translate(ids, options)),
  frames: (ids) => sseStream(translate(ids, options)),
  batches: (ids) => sseStream(translateBatches(ids, options)),
  joined: (ids) => sseStream(inSixteens(ids)),
}

function streamByHand(events) {
  const utf8 = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await events.next()
        if (done) controller.close()
        else controller.enqueue(utf8.encode(stringifyFrame(value)))
      },
    },
    { highWaterMark: 0 },
  )
}

/** Like a server that sends the events since its last write. */
async function* inSixteens(ids) {
  const translator = new Translator(options)
  for (const some of inChunks(ids, 16)) yield some.flatMap((id) => translator.push(id))
  yield translator.end('stop')
}

function bytesOf(name) {
  const read = async ({ ids }, take) => {
    const reader = STREAMS[name](ids).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value)
  }
  return {
    name,
    async run(input) {
      let [length, last] = [0, null]
      await read(input, (chunk) => {
        length += chunk.length
        last = chunk
      })
      return { length, last }
    },
    check: onceWhole(
      ({ length, last }, { frames }) => {
        const written = Buffer.from(frames.join(''))
        const isEnd = written.subarray(-last.length).equals(last)
        expect(length === written.length && isEnd, `${name}: not what JSON.stringify makes`)
      },
      async (input) => {
        const chunks = []
        await read(input, (chunk) => chunks.push(chunk))
        const isSame = Buffer.concat(chunks).equals(Buffer.from(input.frames.join('')))
        expect(isSame, `${name}: not the bytes that JSON.stringify makes`)
      },
    ),
  }
}

/** Checks every result, and at the first run of each input the whole output. */
function onceWhole(checkEach, checkWhole) {
  const seen = new WeakSet()
  return async (result, input) => {
    checkEach(result, input)
    if (seen.has(input)) return
    seen.add(input)
    await checkWhole(input)
  }
}
