import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResponseStreamEvent, ServedStreamEvent } from '../../../src/core/responses/events.js'
import { createSseDecoder, decodeSse, encodeSse, SSE_DONE, type SseSource } from '../../../src/core/sse/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { RUNS } from '../../support/runs.js'
import { searched } from '../../support/searched.js'

const LAW_TIMEOUT_MS = 10_000 + RUNS * 10
const SHARED = process.env['HARMONY_SHARED']

const utf8 = new TextEncoder()

function delta(text: string, sequence_number = 0): ResponseStreamEvent {
  const type = 'response.output_text.delta'
  return { type, sequence_number, output_index: 0, item_id: 'msg_1', content_index: 0, delta: text, logprobs: [] }
}

/** Two events with characters of one to four bytes, so that some cuts fall inside a character. */
const SAMPLE = [delta('é €', 0), delta('💡\r\n', 1)]
const SAMPLE_TEXT = SAMPLE.map(encodeSse).join('')

async function read(source: SseSource): Promise<ServedStreamEvent[]> {
  const events: ServedStreamEvent[] = []
  for await (const event of decodeSse(source)) events.push(event)
  return events
}

/** Reads until the stream throws; returns the earlier events and the error. */
async function readUntilError(source: SseSource): Promise<{ events: ServedStreamEvent[]; error: unknown }> {
  const events: ServedStreamEvent[] = []
  try {
    for await (const event of decodeSse(source)) events.push(event)
  } catch (error) {
    return { events, error }
  }
  return { events, error: undefined }
}

function cut<Input extends string | Uint8Array>(input: Input, positions: readonly number[]): Input[] {
  const borders = [0, ...positions.toSorted((a, b) => a - b), input.length]
  return borders.slice(1).map((border, index) => input.slice(borders[index], border) as Input)
}

/** The chunks of `input` cut in two, once for each place where it can be cut. */
function singleCuts<Input extends string | Uint8Array>(input: Input): Input[][] {
  return Array.from({ length: input.length + 1 }, (_, position) => cut(input, [position]))
}

/** A source that records whether it was closed. */
function watched(chunks: readonly (string | Uint8Array)[]) {
  const source = {
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        yield* chunks
      } finally {
        source.closed = true
      }
    },
  }
  return source
}

describe('encoded events', () => {
  const unit = fc.oneof(
    fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }),
    fc.constantFrom('\r', '\n', '\r\n', '\n\n', '\u2028', '\u2029', '\0', '\ufeff', '\ud83d', '\udca1'),
    fc.constantFrom('data: {}', 'event: error', 'id: 1', ': comment', '[DONE]', SSE_DONE, '"', '\\'),
  )
  /** Not shaped like real events, because the content of an event does not matter. */
  const anyEvent = fc.record(
    {
      type: fc.constantFrom('error', 'response.output_text.delta', 'response.output_item.done', 'response.completed'),
      sequence_number: fc.nat(),
      delta: fc.string({ unit }),
      // Through JSON once, because fast-check's has a -0.
      item: fc.jsonValue({ stringUnit: unit, maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
    },
    { noNullPrototype: true },
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<ResponseStreamEvent>

  it(
    'encoded events come back unchanged, however their bytes are cut',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyEvent, { maxLength: 4 }), fc.array(fc.nat()), async (events, cuts) => {
          const bytes = utf8.encode(events.map(encodeSse).join(''))
          const positions = cuts.map((position) => position % (bytes.length + 1))
          expect(await read(cut(bytes, positions))).toStrictEqual(events)
        }),
        { numRuns: RUNS },
      ),
    LAW_TIMEOUT_MS,
  )

  it('encoded events come back from each way to cut the bytes in two', async () => {
    for (const chunks of singleCuts(utf8.encode(SAMPLE_TEXT))) expect(await read(chunks)).toStrictEqual(SAMPLE)
  })

  it('encoded events come back from single bytes', async () => {
    expect(await read([...utf8.encode(SAMPLE_TEXT)].map((byte) => Uint8Array.of(byte)))).toStrictEqual(SAMPLE)
  })

  it('encoded events come back from each way to cut the text in two', async () => {
    for (const chunks of singleCuts(SAMPLE_TEXT)) expect(await read(chunks)).toStrictEqual(SAMPLE)
  })

  it.skipIf(SHARED === undefined)(
    'encoded events come back if they were captured from OpenAI (skipped without HARMONY_SHARED)',
    async () => {
      const folder = join(SHARED ?? '', 'data/captured/openai')
      for (const file of readdirSync(folder)) {
        const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)
        const events: ServedStreamEvent[] = lines.map((line) => JSON.parse(line))
        expect(events.length).toBeGreaterThan(0)
        expect(await read(events.map(encodeSse))).toStrictEqual(events)
      }
    },
  )
})

describe('the event stream format', () => {
  it.each(['\n', '\r', '\r\n'])(
    'the event stream format is read with the line end %j, however it is cut',
    async (lineEnd) => {
      const bytes = utf8.encode(SAMPLE_TEXT.replaceAll('\n', lineEnd))
      for (const chunks of singleCuts(bytes)) expect(await read(chunks)).toStrictEqual(SAMPLE)
    },
  )

  it.each([
    ['one piece', 20_000],
    ['small pieces', 16],
  ])(
    'the event stream format is read in one pass, whatever its line ends: of 20,000 carriage returns in %s',
    (_, size) => {
      const decoder = createSseDecoder({ onEvent: () => {} })
      const count = searched(() => {
        for (let at = 0; at < 20_000; at += size) decoder.push('\r'.repeat(size))
      })
      expect(count).toBeLessThan(10 * 20_000)
    },
  )

  it('the event stream format is read with comments and unused fields in it', async () => {
    const text = `: hello\n\nretry: 10\n\nid: 7\nfoo: bar\n: in a frame\n${SAMPLE_TEXT}:\n\n`
    expect(await read([text])).toStrictEqual(SAMPLE)
  })

  it('the event stream format is read without event names and without the space after the colon', async () => {
    expect(await read([`data:${JSON.stringify(SAMPLE[0])}\n\n`])).toStrictEqual([SAMPLE[0]])
  })

  it('the event stream format is read with JSON that is spread over several data lines', async () => {
    const data = JSON.stringify(SAMPLE[0], null, 2).replaceAll('\n', '\ndata: ')
    expect(await read([`data: ${data}\n\n`])).toStrictEqual([SAMPLE[0]])
  })

  it('the event stream format is read with a byte order mark before it, however the bytes are cut', async () => {
    for (const chunks of singleCuts(utf8.encode(`\ufeff${SAMPLE_TEXT}`))) {
      expect(await read(chunks)).toStrictEqual(SAMPLE)
    }
  })

  it('the event stream format is read with a byte order mark before its text', async () => {
    expect(await read(['', '\ufeff', SAMPLE_TEXT])).toStrictEqual(SAMPLE)
  })

  it('the event stream format holds nothing if it is empty', async () => {
    expect(await read([])).toEqual([])
  })
})

describe('[DONE]', () => {
  it('[DONE] ends the stream, whatever follows', async () => {
    expect(await read([`${SAMPLE_TEXT}${SSE_DONE}data: garbage\n\n`, 'data: more'])).toStrictEqual(SAMPLE)
  })

  it('[DONE] closes the source, though more would come', async () => {
    const source = watched([SAMPLE_TEXT, SSE_DONE, SAMPLE_TEXT])
    expect(await read(source)).toStrictEqual(SAMPLE)
    expect(source.closed).toBe(true)
  })

  it('[DONE] is enough without its blank line', async () => {
    expect(await read([SAMPLE_TEXT, 'data: [DONE]'])).toStrictEqual(SAMPLE)
  })
})

describe('the end of the input', () => {
  it.each(['', '\n', '\r', '\r\n'])(
    'the end of the input delivers a last frame that is followed only by %j',
    async (rest) => {
      expect(await read([SAMPLE_TEXT.trimEnd() + rest])).toStrictEqual(SAMPLE)
    },
  )

  it('the end of the input throws if it cuts off the data of a frame, after the frames before', async () => {
    const second = encodeSse(delta('💡\r\n', 1))
    const bytes = utf8.encode(SAMPLE_TEXT)
    const dataStart = bytes.length - utf8.encode(second.slice(second.indexOf('data:'))).length + 'data:'.length
    const dataEnd = bytes.length - '}\n\n'.length
    for (let length = dataStart; length <= dataEnd; length++) {
      const { events, error } = await readUntilError([bytes.slice(0, length)])
      expect(events).toStrictEqual([SAMPLE[0]])
      expect(error).toMatchObject({ code: 'bad_stream', message: expect.stringContaining('frame 2') })
    }
  })

  it('the end of the input drops a frame that has no data yet, as the standard says', async () => {
    expect(await read([SAMPLE_TEXT, 'event: response.completed\n'])).toStrictEqual(SAMPLE)
  })
})

describe('a bad frame', () => {
  it.each(['', 'hello', '{"type":"error"', '[DONE'])(
    'a bad frame throws if its data is %j and not JSON',
    async (data) => {
      const { error } = await readUntilError([`${SAMPLE_TEXT}data: ${data}\n\n`])
      expect(error).toMatchObject({
        code: 'bad_stream',
        message: `expected JSON in frame 3, got ${JSON.stringify(data)}`,
        cause: expect.any(SyntaxError),
      })
    },
  )

  it.each(['null', '1', '"type"', '["type"]', '{}', '{"type":1}'])(
    'a bad frame throws if its data is %s',
    async (data) => {
      const { error } = await readUntilError([`${SAMPLE_TEXT}data: ${data}\n\n`])
      expect(error).toMatchObject({
        code: 'bad_stream',
        message: `expected an object with a string type in frame 3, got ${JSON.stringify(data)}`,
      })
    },
  )

  it('a bad frame is shown shortened', async () => {
    const { error } = await readUntilError([`data: ${'x'.repeat(10_000)}\n\n`])
    expect(error).toMatchObject({ message: `expected JSON in frame 1, got "${'x'.repeat(80)}..."` })
  })

  it('a bad frame does not swallow the events before it, however the bytes are cut', async () => {
    for (const chunks of singleCuts(utf8.encode(`${SAMPLE_TEXT}data: bad\n\n${SAMPLE_TEXT}`))) {
      const { events, error } = await readUntilError(chunks)
      expect(events).toStrictEqual(SAMPLE)
      expect(error).toMatchObject({ code: 'bad_stream' })
    }
  })

  it('a bad frame closes the source', async () => {
    const source = watched(['data: bad\n\n', SAMPLE_TEXT])
    await expect(read(source)).rejects.toMatchObject({ code: 'bad_stream' })
    expect(source.closed).toBe(true)
  })
})

describe('the source', () => {
  it('the source may be the whole text', async () => {
    expect(await read(`\ufeff${SAMPLE_TEXT}`)).toStrictEqual(SAMPLE)
    expect(await read('')).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['no body', null, 'null'],
    ['a promise of a body', Promise.resolve([SAMPLE_TEXT]), 'Promise'],
    ['the answer, not its body', new Response(SAMPLE_TEXT), 'Response'],
    ['bytes alone', utf8.encode(SAMPLE_TEXT), 'Uint8Array'],
    ['a number', 5, '5'],
  ])('the source is refused at once if it is %s', (_, source, got) => {
    expect(() => decodeSse(source as never)).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'bad_stream',
        message: `decodeSse: expected a ReadableStream, or an iterable of bytes or text, got ${got}`,
      }),
    )
  })

  it.each<[string, unknown, string]>([
    ['an event', SAMPLE[1], 'an object'],
    ['nothing', undefined, 'undefined'],
    ['a number', 5, '5'],
  ])('the source is closed if it yields %s, and the events before it come', async (_, chunk, got) => {
    const source = watched([encodeSse(delta('a')), chunk as never])
    const { events, error } = await readUntilError(source)
    expect(events).toStrictEqual([delta('a')])
    expect(error).toMatchObject({
      code: 'bad_stream',
      message: `decodeSse: expected chunks of bytes or text, got ${got}`,
    })
    expect(source.closed).toBe(true)
  })

  it('the source may yield buffers of every kind', async () => {
    const bytes = utf8.encode(SAMPLE_TEXT)
    const chunks = [bytes.slice(0, 40).buffer, Buffer.from(bytes.slice(40, 90)), new DataView(bytes.slice(90).buffer)]
    expect(await read(chunks as never)).toStrictEqual(SAMPLE)
  })

  it('the source is closed if the reader leaves between two events of a chunk', async () => {
    const source = watched([SAMPLE_TEXT, SAMPLE_TEXT])
    for await (const event of decodeSse(source)) {
      expect(event).toStrictEqual(SAMPLE[0])
      break
    }
    expect(source.closed).toBe(true)
  })

  it('the source is cancelled if it is a ReadableStream', async () => {
    let cancelled = false
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(utf8.encode(SAMPLE_TEXT)),
      cancel() {
        cancelled = true
      },
    })
    for await (const _ of decodeSse(source)) break
    expect(cancelled).toBe(true)
  })

  it('the source may be a ReadableStream that cannot be iterated', async () => {
    const source = new Response(SAMPLE_TEXT).body as ReadableStream<Uint8Array>
    Object.defineProperty(source, Symbol.asyncIterator, { value: undefined })
    expect(await read(source)).toStrictEqual(SAMPLE)
  })

  it('the source may fail: its error is thrown as it is, after the events before it', async () => {
    const failure = new Error('connection reset')
    async function* source() {
      yield SAMPLE_TEXT
      throw failure
    }
    expect(await readUntilError(source())).toEqual({ events: SAMPLE, error: failure })
  })

  it('the source may fail as a ReadableStream too', async () => {
    const failure = new Error('connection reset')
    const source = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(failure) })
    expect(await readUntilError(source)).toEqual({ events: [], error: failure })
  })
})

describe('the push decoder', () => {
  it('the push decoder delivers each event during the push that completes it', () => {
    const log: unknown[] = []
    const decoder = createSseDecoder({ onEvent: (event) => log.push(event) })
    for (const frame of SAMPLE.map(encodeSse)) {
      decoder.push(frame.slice(0, -1))
      log.push('one line end to come')
      decoder.push(frame.slice(-1))
    }
    expect(log).toStrictEqual(['one line end to come', SAMPLE[0], 'one line end to come', SAMPLE[1]])
  })

  it('the push decoder knows that it is done after [DONE]', () => {
    const decoder = createSseDecoder({ onEvent() {} })
    decoder.push(SAMPLE_TEXT)
    expect(decoder.done).toBe(false)
    decoder.push(SSE_DONE)
    expect(decoder.done).toBe(true)
  })

  it('the push decoder ignores input after its end', () => {
    const events: ServedStreamEvent[] = []
    const decoder = createSseDecoder({ onEvent: (event) => events.push(event) })
    decoder.end()
    decoder.push(SAMPLE_TEXT)
    decoder.end()
    expect(events).toEqual([])
  })

  it('the push decoder shares no half character with another one', () => {
    const bytes = utf8.encode(SAMPLE_TEXT)
    const events: ServedStreamEvent[][] = [[], []]
    const decoders = events.map((list) => createSseDecoder({ onEvent: (event) => list.push(event) }))
    for (const byte of bytes) for (const decoder of decoders) decoder.push(Uint8Array.of(byte))
    expect(events).toStrictEqual([SAMPLE, SAMPLE])
  })
})

it.each([{}, { onEvent: 5 }])('a decoder without a function for its events is refused (%j)', (options) => {
  expect(() => createSseDecoder(options as never)).toThrow(
    expect.objectContaining({
      code: 'bad_option',
      message: expect.stringContaining('onEvent: expected a function, got '),
    }),
  )
})
