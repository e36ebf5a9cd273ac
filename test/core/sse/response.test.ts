import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { ResponseStreamEvent, ServedStreamEvent } from '../../../src/core/responses/events.js'
import { decodeSse, encodeSse, SSE_DONE, sseStream, toSseResponse } from '../../../src/core/sse/index.js'
import { translate } from '../../../src/index.js'
import { collect } from '../../support/collect.js'

function delta(text: string, sequence_number: number): ResponseStreamEvent {
  const type = 'response.output_text.delta'
  return { type, sequence_number, output_index: 0, item_id: 'msg_1', content_index: 0, delta: text, logprobs: [] }
}

const EVENTS = ['plain', 'é € 💡', '\r\n\n\r\u2028', 'data: {}\n\n', '[DONE]', '\ud83d'].map(delta)
const TEXT = EVENTS.map(encodeSse).join('')

/** A source that counts its calls. */
function counted() {
  const source = {
    pulled: 0,
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const event of EVENTS) {
          source.pulled += 1
          yield event
        }
      } finally {
        source.closed = true
      }
    },
  }
  return source
}

/** A source whose first event never comes: like an async generator, it answers `return` only after the `next`. */
function stuck() {
  let fail: (reason: Error) => void = () => {}
  const pending = new Promise<never>((_, reject) => {
    fail = reject
  })
  const source = {
    closed: false,
    fail,
    [Symbol.asyncIterator]: () => source,
    next: () => pending,
    return() {
      source.closed = true
      return pending
    },
  }
  return source
}

describe('the response', () => {
  it('the response has the headers of an event stream that no proxy holds back', () => {
    const response = toSseResponse([])
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-cache, no-transform',
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
  })

  it("the response prefers the caller's headers, keeps the repeated ones, and takes the caller's status", () => {
    const headers: [string, string][] = [
      ['Cache-Control', 'no-store'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]
    const response = toSseResponse([], { status: 201, headers })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  })

  it('the response holds the frames of an array, and nothing more', async () => {
    expect(await toSseResponse(EVENTS).text()).toBe(TEXT)
  })

  it('the response holds the frames of an async source', async () => {
    expect(await toSseResponse(counted()).text()).toBe(TEXT)
  })

  it('the response ends with [DONE] if asked to', async () => {
    expect(await toSseResponse(EVENTS, { done: true }).text()).toBe(TEXT + SSE_DONE)
  })

  it('frames have data alone without event lines, whatever the objects are', async () => {
    const chunks = [{ id: 'a', choices: [] }, [{ b: 'line\nbreak' }, { type: 'c' }]]
    const text = await toSseResponse(chunks, { eventLines: false, done: true }).text()
    const frames = ['{"id":"a","choices":[]}', '{"b":"line\\nbreak"}', '{"type":"c"}', '[DONE]']
    expect(text).toBe(frames.map((frame) => `data: ${frame}\n\n`).join(''))
  })

  it('a value that is no object errors a stream without event lines, and closes its source', async () => {
    let isClosed = false
    const values = (function* () {
      try {
        yield 'text'
        yield {}
      } finally {
        isClosed = true
      }
    })()
    const text = toSseResponse(values as never, { eventLines: false }).text()
    await expect(text).rejects.toThrow('encodeSseData: expected an object, got "text"')
    expect(isClosed).toBe(true)
  })

  it('the response can be decoded again', async () => {
    const { body } = toSseResponse(EVENTS)
    expect(await collect(decodeSse(body ?? []))).toStrictEqual(EVENTS)
  })

  it('the response fails with what its source throws, after the events before it', async () => {
    const failure = new Error('engine crashed')
    async function* source() {
      yield* EVENTS
      throw failure
    }
    const events: ServedStreamEvent[] = []
    const reading = (async () => {
      for await (const event of decodeSse(toSseResponse(source()).body ?? [])) events.push(event)
    })()
    await expect(reading).rejects.toBe(failure)
    expect(events).toStrictEqual(EVENTS)
  })
})

describe('anything but a stream of events is refused at once', () => {
  const REFUSED: [string, unknown, string][] = [
    ['a promise of a stream', Promise.resolve(translate([])), 'Promise'],
    ['a promise of an array', Promise.resolve(EVENTS), 'Promise'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object', {}, 'an object'],
    ['one event', EVENTS[0], 'an object'],
    ['a function that has to be called', () => EVENTS, 'a function'],
    ['text', 'data: {}', '"data: {}"'],
  ]

  it.each(REFUSED)('anything but a stream of events is refused at once: %s', (_, events, got) => {
    const error = (what: string) =>
      expect.objectContaining({ code: 'bad_stream', message: `${what}: expected an iterable of events, got ${got}` })
    expect(() => toSseResponse(events as never)).toThrow(error('toSseResponse'))
    expect(() => sseStream(events as never)).toThrow(error('sseStream'))
  })

  it.each<[string, unknown, string]>([
    ['invalid options', 5, 'toSseResponse: options: expected an object, got 5'],
    [
      'a status that is no number',
      { status: '200' },
      'status: expected an HTTP status of an answer with a body, got "200"',
    ],
    ['a status text', { statusText: 'OK' }, 'toSseResponse: there is no option "statusText"'],
    ['NaN', { status: Number.NaN }, 'status: expected an HTTP status of an answer with a body, got NaN'],
    ['Infinity', { status: Number.POSITIVE_INFINITY }, 'got Infinity'],
    ['a status of no answer', { status: 101 }, 'got 101'],
    ['a status whose answer has no body', { status: 204 }, 'got 204'],
    ['a word for yes', { done: 'yes' }, 'done: expected true or false, got "yes"'],
    ['another word', { eventLines: 'no' }, 'eventLines: expected true or false, got "no"'],
  ])('wrong options of a response are refused before its source is touched: %s', (_, init, message) => {
    const untouched = {
      [Symbol.asyncIterator]: () => {
        throw new Error('touched')
      },
    }
    expect(() => toSseResponse(untouched, init as never)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }),
    )
  })

  it.each([
    ['nothing', undefined],
    ['text', 'data: {}\n\n'],
    ['bytes', new Uint8Array(2)],
  ])(
    'a value that is not an event is refused among events when it comes, and the source is closed: %s',
    async (_, event) => {
      let isClosed = false
      async function* source() {
        try {
          yield* EVENTS
          yield event as never
        } finally {
          isClosed = true
        }
      }
      await expect(toSseResponse(source()).text()).rejects.toMatchObject({ code: 'bad_stream' })
      expect(isClosed).toBe(true)
    },
  )
})

describe('the stream', () => {
  it('the stream asks for no event before it is read, and then for one per read', async () => {
    const source = counted()
    const reader = sseStream(source).getReader()
    expect(source.pulled).toBe(0)
    for (const [index, event] of EVENTS.entries()) {
      const { value } = await reader.read()
      expect(new TextDecoder().decode(value)).toBe(encodeSse(event))
      expect(source.pulled).toBe(index + 1)
    }
  })

  it('the stream answers reads that wait in their order, and asks for one event at a time', async () => {
    const answers: ((next: IteratorResult<ResponseStreamEvent, undefined>) => void)[] = []
    const source = {
      [Symbol.asyncIterator]: () => source,
      next: () => new Promise<IteratorResult<ResponseStreamEvent, undefined>>((answer) => answers.push(answer)),
    }
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const reader = sseStream(source, { done: true }).getReader()
    const reads = Array.from({ length: 5 }, () => reader.read())
    for (const [at, value] of EVENTS.slice(0, 2).entries()) {
      await settled()
      expect(answers).toHaveLength(at + 1)
      answers[at]?.({ done: false, value })
    }
    await settled()
    answers[2]?.({ done: true, value: undefined })
    const texts = (await Promise.all(reads)).map(({ value }) => value && new TextDecoder().decode(value))
    expect(texts).toEqual([...EVENTS.slice(0, 2).map(encodeSse), SSE_DONE, undefined, undefined])
    expect(answers).toHaveLength(3)
  })

  it.each([
    ['a list', () => EVENTS.slice(0, 3)],
    [
      'an async source',
      () =>
        (async function* () {
          yield* EVENTS.slice(0, 3)
        })(),
    ],
    ['translated tokens', () => translate(['<|channel|>final<|message|>', 'a', 'b'], { responseId: 'resp_1' })],
  ])('the stream gives %s to reads that wait', async (_, source) => {
    const chunks: string[] = []
    const reader = sseStream(source()).getReader()
    const reads = Array.from({ length: 12 }, () => reader.read())
    for (const { value } of await Promise.all(reads)) if (value) chunks.push(new TextDecoder().decode(value))
    const inTurn = await collect(sseStream(source()))
    expect(chunks.length).toBeGreaterThanOrEqual(3)
    expect(chunks.map((chunk) => chunk.slice(0, 40))).toEqual(
      inTurn.map((chunk) => new TextDecoder().decode(chunk).slice(0, 40)),
    )
  })

  it('the stream gives chunks that hold nothing else, and may be transferred', async () => {
    const texts: string[] = []
    for await (const chunk of sseStream(EVENTS)) {
      expect(chunk.buffer.byteLength).toBe(chunk.byteLength)
      texts.push(new TextDecoder().decode(structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] })))
    }
    expect(texts.join('')).toBe(TEXT)
  })

  it('the stream fails with what its source throws at once', async () => {
    const failure = new Error('no engine')
    const next = () => {
      throw failure
    }
    await expect(
      sseStream({ [Symbol.iterator]: () => ({ next }) })
        .getReader()
        .read(),
    ).rejects.toBe(failure)
    await expect(
      sseStream({ [Symbol.asyncIterator]: () => ({ next }) })
        .getReader()
        .read(),
    ).rejects.toBe(failure)
  })

  it('the stream gives events that come together as one chunk', async () => {
    async function* batches() {
      yield EVENTS.slice(0, 2)
      yield EVENTS.slice(2)
    }
    const chunks: string[] = []
    for await (const chunk of sseStream(batches())) chunks.push(new TextDecoder().decode(chunk))
    expect(chunks).toEqual([EVENTS.slice(0, 2), EVENTS.slice(2)].map((events) => events.map(encodeSse).join('')))
  })

  it('the stream closes with the read that finds the source exhausted', async () => {
    const reader = sseStream(EVENTS.slice(0, 1)).getReader()
    await reader.read()
    expect(await reader.read()).toEqual({ done: true, value: undefined })
    await reader.closed
  })

  it('the stream closes its source when it is cancelled', async () => {
    const source = counted()
    const reader = sseStream(source).getReader()
    await reader.read()
    await reader.cancel()
    expect(source).toMatchObject({ pulled: 1, closed: true })
  })

  it('the stream closes its source at once when it is cancelled while an event is awaited', async () => {
    const source = stuck()
    const reader = sseStream(source).getReader()
    const read = reader.read()
    const cancelled = reader.cancel()
    expect(source.closed).toBe(true)
    await cancelled
    expect(await read).toEqual({ done: true, value: undefined })
  })

  it('the stream leaves no unhandled rejection if the source fails after the cancel', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const source = stuck()
    const reader = sseStream(source).getReader()
    void reader.read()
    await reader.cancel()
    source.fail(new Error('late'))
    // Node reports unhandled rejections once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })

  it('the stream can be cancelled if the source cannot be closed', async () => {
    await expect(sseStream(EVENTS).cancel()).resolves.toBeUndefined()
  })

  it('the stream closes its source if an event cannot be serialized', async () => {
    let isClosed = false
    async function* source() {
      try {
        yield { type: 'response.created', sequence_number: 1n } as never
      } finally {
        isClosed = true
      }
    }
    await expect(toSseResponse(source()).text()).rejects.toThrow(TypeError)
    expect(isClosed).toBe(true)
  })
})

describe('the openai SDK', () => {
  function stream(response: Response) {
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://local.invalid/v1', fetch: async () => response })
    return client.responses.create({ model: 'gpt-oss-20b', input: 'Hi', stream: true })
  }

  it('the openai SDK reads the same events', async () => {
    expect(await collect(await stream(toSseResponse(EVENTS)))).toStrictEqual(EVENTS)
  })

  it('the openai SDK reads the same events if [DONE] follows', async () => {
    expect(await collect(await stream(toSseResponse(EVENTS, { done: true })))).toStrictEqual(EVENTS)
  })

  it('the openai SDK throws the error that an error event holds', async () => {
    const error = { type: 'server_error', code: 'engine_crashed', message: 'out of memory', param: null }
    const response = toSseResponse([{ type: 'error', sequence_number: 0, error }])
    await expect(stream(response).then(collect)).rejects.toMatchObject(error)
  })

  it('the openai SDK closes the source if its reader leaves', async () => {
    const source = counted()
    for await (const event of await stream(toSseResponse(source))) {
      expect(event).toStrictEqual(EVENTS[0])
      break
    }
    expect(source.closed).toBe(true)
  })
})
