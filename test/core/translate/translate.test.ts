import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import {
  loadTokenTable,
  type Response,
  type ResponseStreamEvent,
  type StreamEnd,
  type TokenChunk,
  type TokenSource,
  type TranslateOptions,
  translate,
  translateBatches,
} from '../../../src/index.js'
import { cut, encodeHarmony } from '../../support/tokens.js'
import { mcp } from '../recipients/tools.js'
import { brief, briefOutput, callTo, createRun, FIXED, inTurn, messageOn, terminal, toolMessage } from './run.js'

const tokenTable = await loadTokenTable()
const request = { tools: [mcp('github')] }
const options: TranslateOptions = { ...FIXED, tokenTable, request }

const CHUNKS: TokenChunk[] = [
  ...cut(
    encodeHarmony(inTurn(messageOn('analysis', 'Hé🫠.<|end|>'), callTo('github.a', '{}<|call|>'))),
    [1, 2, 3, 1, 1],
  ),
  toolMessage('github.a', 'found'),
  { host: '<|start|>assistant' },
  ...encodeHarmony(messageOn('final', 'Found it.<|return|>')),
]

interface Read<Item> {
  items: Item[]
  returned: Response
}

/** Reads a generator to its end, with what it returns. */
async function readAll<Item>(generator: AsyncGenerator<Item, Response>): Promise<Read<Item>> {
  const items: Item[] = []
  for (;;) {
    const step = await generator.next()
    if (step.done) return { items, returned: step.value }
    items.push(step.value)
  }
}

/** A source that records the calls it receives. With `hangs`, it never answers after its last chunk. */
class Watched implements AsyncIterableIterator<TokenChunk, StreamEnd | undefined> {
  pulled = 0
  closed = 0
  readonly #chunks: readonly TokenChunk[]
  readonly #atEnd: 'ends' | 'hangs' | Error
  readonly #end: StreamEnd | undefined

  constructor(chunks: readonly TokenChunk[], atEnd: 'ends' | 'hangs' | Error = 'ends', end?: StreamEnd) {
    this.#chunks = chunks
    this.#atEnd = atEnd
    this.#end = end
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<TokenChunk, StreamEnd | undefined>> {
    const chunk = this.#chunks[this.pulled++]
    if (chunk !== undefined) return { done: false, value: chunk }
    if (this.#atEnd === 'hangs') return new Promise(() => {})
    if (this.#atEnd !== 'ends') throw this.#atEnd
    return { done: true, value: this.#end }
  }

  async return(): Promise<IteratorResult<TokenChunk, undefined>> {
    this.closed++
    return { done: true, value: undefined }
  }
}

/** Runs everything that waits only for its turn. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

const rejections: unknown[] = []
const onRejection = (reason: unknown): number => rejections.push(reason)
beforeEach(() => void process.on('unhandledRejection', onRejection))
afterEach(async () => {
  await settled()
  process.off('unhandledRejection', onRejection)
  expect(rejections.splice(0)).toEqual([])
})

describe('what comes out', () => {
  test('translate gives the same events as the push side, and returns the response', async () => {
    const run = createRun({ ...options })
    run.push(...CHUNKS)
    const events = [...run.events, ...run.end()]
    const { items, returned } = await readAll(translate(CHUNKS, options))
    expect(items).toEqual(events)
    expect(returned).toEqual(terminal(events))
  })

  test('translateBatches gives one batch for each chunk that gave something, none of them empty', async () => {
    const run = createRun({ ...options })
    const expected = [run.start(), ...CHUNKS.map((chunk) => run.push(chunk)), run.end()].filter(
      ({ length }) => length > 0,
    )
    const { items, returned } = await readAll(translateBatches(CHUNKS, options))
    expect(items).toEqual(expected)
    expect(returned).toEqual(terminal(items.at(-1) ?? []))
  })

  test('translate loads the token table if the options bring none', async () => {
    const { returned } = await readAll(translate(encodeHarmony(messageOn('final', 'Hi<|return|>')), FIXED))
    expect(briefOutput(returned)).toEqual(['message completed "Hi"'])
  })

  test('calls of the client are announced whole if that is asked for', async () => {
    const source = [callTo('functions.f', '{'), '}', '<|call|>']
    const { items } = await readAll(translateBatches(source, { ...FIXED, calls: 'whole' }))
    expect(items.map(({ length }) => length)).toEqual([2, 4, 1])
  })
})

describe('a source may be', () => {
  const harmony = messageOn('final', 'Hé🫠<|return|>')
  const ids = encodeHarmony(harmony)

  async function* later(chunks: Iterable<TokenChunk>): AsyncGenerator<TokenChunk, void> {
    for (const chunk of chunks) {
      await null
      yield chunk
    }
  }
  function streamOf(chunks: Iterable<TokenChunk>): ReadableStream<TokenChunk> {
    return new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    })
  }
  function nextAlone(chunks: Iterable<TokenChunk>): Iterator<TokenChunk, undefined> {
    const iterator = chunks[Symbol.iterator]()
    return { next: () => iterator.next() }
  }
  function* now(chunks: Iterable<TokenChunk>): Generator<TokenChunk, void> {
    yield* chunks
  }

  test.each<[string, () => TokenSource]>([
    ['an array of ids', () => ids],
    ['an array of arrays', () => [ids]],
    ['an array of scored tokens', () => ids.map((id) => ({ id, logprob: -1 }))],
    ['a typed array', () => Uint32Array.from(ids)],
    ['a list of typed arrays', () => [Uint32Array.from(ids)]],
    ['a set', () => new Set([harmony])],
    ['a generator', () => now(ids)],
    ['an async generator', () => later(ids)],
    ['a stream', () => streamOf(ids)],
    ['text', () => harmony],
    ['text in an object', () => Object(harmony)],
    ['text in pieces', () => now(harmony.split(''))],
    ['what has next alone', () => ({ [Symbol.iterator]: () => nextAlone(ids) })],
  ])('a source may be %s', async (_, source) => {
    const { returned } = await readAll(translate(source(), options))
    expect(briefOutput(returned)).toEqual(['message completed "Hé🫠"'])
  })

  test('a source may be text, taken as one chunk', async () => {
    const { items } = await readAll(translateBatches(harmony, options))
    expect(items.map(({ length }) => length)).toEqual([2, 6, 1])
  })

  test.each<[string, unknown, string]>([
    ['a number', 5, 'got 5'],
    ['nothing', undefined, 'got undefined'],
    ['null', null, 'got null'],
    ['a promise of one', Promise.resolve(ids), 'got Promise'],
    ['a function', () => ids, 'got a function'],
    ['a host chunk', { host: ids }, 'got an object'],
  ])('a source may not be %s', (_, source, got) => {
    for (const open of [translate, translateBatches]) {
      expect(() => open(source as TokenSource, options)).toThrow(
        expect.objectContaining({
          name: 'HarmonyResponsesError',
          code: 'bad_option',
          message: `source: expected an iterable of chunks, ${got}`,
        }),
      )
    }
  })
})

describe('a bad option is thrown by the call itself, and nothing is asked of the source', () => {
  test.each<[string, unknown]>([
    ['an unknown policy', { policy: 'openia' }],
    ['a malformed tool', { request: { tools: [{ type: 'function' }] } }],
    ['what is no signal', { signal: true }],
    ['an empty response id', { responseId: '' }],
  ])('a bad option is thrown by the call itself, and nothing is asked of the source: %s', (_, bad) => {
    const source = { [Symbol.iterator]: vi.fn() }
    for (const open of [translate, translateBatches]) {
      expect(() => open(source, bad as TranslateOptions)).toThrow(
        expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' }),
      )
    }
    expect(source[Symbol.iterator]).not.toHaveBeenCalled()
  })

  test('options that are null are thrown by the call itself', () => {
    expect(() => translate([], null as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })
})

describe('the source is pulled', () => {
  test('the source is pulled only after created and in_progress were taken, and never ahead of its consumer', async () => {
    const source = new Watched(['<|channel|>final<|message|>', 'a', 'b', 'c'])
    const batches = translateBatches(source, options)
    await settled()
    expect(source.pulled).toBe(0)
    expect(brief((await batches.next()).value as ResponseStreamEvent[])).toEqual(['created', 'in_progress'])
    for (const expected of [1, 2, 3]) {
      await settled()
      expect(source.pulled).toBe(expected - 1)
      await batches.next()
      expect(source.pulled).toBe(expected)
    }
    await batches.return(undefined as never)
  })

  test('the source is not pulled again before every event of its chunk was taken', async () => {
    const source = new Watched([messageOn('final', 'Hi<|return|>'), '<|start|>'])
    const events = translate(source, options)
    for (let taken = 1; taken <= 8; taken++) await events.next()
    await settled()
    expect(source.pulled).toBe(1)
    await events.next()
    expect(source.pulled).toBeGreaterThan(1)
  })

  test('the source is pulled past chunks that gave nothing', async () => {
    const source = new Watched(['<|channel|>', 'fin', 'al', '<|message|>'])
    const batches = translateBatches(source, options)
    await batches.next()
    expect(brief((await batches.next()).value as ResponseStreamEvent[])).toEqual([
      'output_item.added 0',
      'content_part.added 0',
    ])
    expect(source.pulled).toBe(4)
    await batches.return(undefined as never)
  })
})

describe('calls that do not wait for one another', () => {
  const chunks = ['<|channel|>final<|message|>', 'a', 'b']
  const sources: [string, () => TokenSource][] = [
    ['a list', () => chunks],
    ['a source that is waited for', () => new Watched(chunks)],
  ]

  test.each(sources)('calls that do not wait for one another are answered in their order: %s', async (_, source) => {
    const { items } = await readAll(translate(source(), options))
    const events = translate(source(), options)
    const order: number[] = []
    const calls = Array.from({ length: items.length + 3 }, (_, at) =>
      events.next().then((step) => {
        order.push(at)
        return step
      }),
    )
    const steps = await Promise.all(calls)
    expect(order).toEqual(order.map((_, at) => at))
    expect(steps.slice(0, items.length).map(({ value }) => value)).toEqual(items)
    expect(steps[items.length]).toMatchObject({ done: true, value: { status: 'incomplete' } })
    expect(steps.slice(items.length + 1)).toEqual(Array(2).fill({ done: true, value: undefined }))
  })

  test.each(sources)('calls that do not wait for one another end with the one that stops: %s', async (_, source) => {
    const events = translate(source(), options)
    const stopped = [events.next(), events.next(), events.return(1 as never), events.next()]
    const [first, , returned, last] = await Promise.all(stopped)
    expect(first?.value).toMatchObject({ type: 'response.created' })
    expect(returned).toEqual({ done: true, value: 1 })
    expect(last).toEqual({ done: true, value: undefined })
    await expect(events.throw(new Error('mine'))).rejects.toThrow('mine')
  })

  test('calls that wait for a source that never answers are answered at once if one of them stops', async () => {
    const events = translateBatches(new Watched([], 'hangs'), options)
    const calls = [events.next(), events.next(), events.next(), events.return(1 as never), events.next()]
    const steps = await Promise.all(calls)
    expect(steps.map(({ done }) => done)).toEqual([false, true, true, true, true])
  })

  test('calls that do not wait for one another may come from the source itself', async () => {
    let inner: Promise<IteratorResult<ResponseStreamEvent[], Response>> | undefined
    function* source(): Generator<string, void> {
      yield '<|channel|>final<|message|>'
      inner = batches.next()
      yield 'a'
      yield 'b'
    }
    const batches = translateBatches(source(), options)
    const { items } = await readAll(batches)
    const { value } = (await inner) ?? {}
    expect(brief(items.flat())).not.toContain('output_text.delta 0 "b"')
    expect(brief(value as ResponseStreamEvent[])).toEqual(['output_text.delta 0 "b"'])
  })
})

describe('a source whose promises are not promises', () => {
  const thenable = (then: (give: (step: unknown) => void) => void): object => Object.fromEntries([['then', then]])

  test.each<[string, (step: unknown) => unknown]>([
    ['call back at once, and twice', (step) => thenable((give) => [give(step), give(step)])],
    [
      'throw',
      () =>
        thenable(() => {
          throw new Error('no promise')
        }),
    ],
    ['are nothing', () => undefined],
  ])('a source is read even if its promises %s', async (_, promise) => {
    const chunks = ['<|channel|>final<|message|>', 'a', 'b']
    const steps = [...chunks.map((value) => ({ done: false, value })), { done: true, value: undefined }]
    const source = { [Symbol.asyncIterator]: () => ({ next: () => promise(steps.shift()) }) }
    const { returned } = await readAll(translate(source as never, { ...options, onError() {} }))
    expect(returned.status).toMatch(/^(failed|incomplete)$/)
    if (returned.status === 'incomplete') expect(briefOutput(returned)).toEqual(['message incomplete "ab"'])
  })
})

describe('the source is closed', () => {
  const chunks = ['<|channel|>final<|message|>', 'a', 'b']

  test('the source is closed at the end, at most once', async () => {
    const source = new Watched(chunks)
    await readAll(translate(source, options))
    await settled()
    expect(source.closed).toBeLessThanOrEqual(1)
  })

  test('the source is closed when the consumer stops reading, and the consumer gets nothing more', async () => {
    for (const open of [translate, translateBatches]) {
      const source = new Watched(chunks)
      for await (const _ of open(source, options)) if (source.pulled === 2) break
      await settled()
      expect(source.closed).toBe(1)
      expect(source.pulled).toBe(2)
    }
  })

  test('the source is closed when the consumer stops after the very first event', async () => {
    const source = new Watched(chunks)
    for await (const _ of translate(source, options)) break
    await settled()
    expect(source).toMatchObject({ closed: 1, pulled: 0 })
  })

  test('the source is closed when the consumer throws, whose error it stays', async () => {
    for (const open of [translate, translateBatches]) {
      const source = new Watched(chunks)
      const consume = async (): Promise<void> => {
        for await (const _ of open(source, options)) if (source.pulled === 2) throw new Error('mine')
      }
      await expect(consume()).rejects.toThrow('mine')
      await settled()
      expect(source.closed).toBe(1)
    }
  })

  test('closing the source runs the finally of a generator', async () => {
    let finished = 0
    async function* source(): AsyncGenerator<string, void> {
      try {
        yield* chunks
      } finally {
        finished++
      }
    }
    for await (const event of translate(source(), options)) if (event.type === 'response.output_text.delta') break
    await settled()
    expect(finished).toBe(1)
  })

  test('the source is closed without a word to the client if closing fails, or if there is nothing to close', async () => {
    const quiet = { ...options, onError() {} }
    const failing = new Watched(chunks)
    failing.return = () => Promise.reject(new Error('cannot close'))
    for await (const _ of translate(failing, quiet)) break
    const throwing = new Watched(chunks)
    throwing.return = () => {
      throw new Error('cannot close')
    }
    for await (const _ of translate(throwing, quiet)) break
    const next = (): IteratorResult<TokenChunk, undefined> => ({ done: false, value: 'x' })
    for await (const _ of translate({ [Symbol.iterator]: () => ({ next }) }, options)) break
  })

  test('the source is closed when the consumer gives up while it waits for a source that never answers', async () => {
    for (const open of [translate, translateBatches]) {
      const source = new Watched([], 'hangs')
      const generator = open(source, options)
      while (source.pulled === 0) {
        void generator.next()
        await settled()
      }
      void generator.return(undefined as never)
      await settled()
      expect(source.closed).toBe(1)
    }
  })
})

describe('a source that throws', () => {
  test('a source that throws gives error and response.failed, and the generator returns', async () => {
    const source = new Watched(['<|channel|>final<|message|>', 'Hi'], new EngineError('invalid_prompt', 'too odd'))
    const { items, returned } = await readAll(translate(source, options))
    expect(brief(items).slice(-3)).toEqual(['output_text.delta 0 "Hi"', 'error', 'failed'])
    expect(items.at(-2)).toMatchObject({ error: { code: 'invalid_prompt', message: 'too odd' } })
    expect(returned).toEqual(terminal(items))
    expect(returned).toMatchObject({ status: 'failed', error: { message: 'too odd' } })
    expect(briefOutput(returned)).toEqual(['message incomplete "Hi"'])
  })

  test.each<[string, () => TokenSource]>([
    ['from an async next', () => new Watched([], new EngineError('invalid_prompt', 'too odd'))],
    [
      'from a plain next',
      () => ({
        [Symbol.iterator]: () => ({
          next: () => {
            throw new EngineError('invalid_prompt', 'too odd')
          },
        }),
      }),
    ],
    [
      'from an async next that does not reject',
      () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => {
            throw new EngineError('invalid_prompt', 'too odd')
          },
        }),
      }),
    ],
  ])('a source that throws %s fails the stream', async (_, source) => {
    for (const signal of [undefined, new AbortController().signal]) {
      const { items } = await readAll(translate(source(), signal === undefined ? options : { ...options, signal }))
      expect(brief(items)).toEqual(['created', 'in_progress', 'error', 'failed'])
      expect(items.at(-2)).toMatchObject({ error: { message: 'too odd' } })
    }
  })

  test('a thrown value that is not an Error is reported to the host alone', async () => {
    const reported: unknown[] = []
    const source = (): TokenSource => ({
      [Symbol.iterator]: () => ({
        next: () => {
          throw 'no engine at 10.0.0.3'
        },
      }),
    })
    const { returned } = await readAll(translate(source(), { ...options, onError: (error) => reported.push(error) }))
    expect(returned.error?.message).toBe('The server had an internal error.')
    expect(reported).toEqual(['no engine at 10.0.0.3'])
  })

  test('an invalid chunk fails the stream, closes the source, and the host learns what came', async () => {
    const reported: unknown[] = []
    const source = new Watched(['<|channel|>final<|message|>', { text: 'x' } as never, 'b'])
    const { items } = await readAll(translate(source, { ...options, onError: (error) => reported.push(error) }))
    await settled()
    expect(source).toMatchObject({ pulled: 2, closed: 1 })
    expect(brief(items).slice(-2)).toEqual(['error', 'failed'])
    expect(terminal(items).error?.message).toBe('The server had an internal error.')
    expect(reported).toMatchObject([
      { code: 'bad_chunk', message: expect.stringMatching(/^chunk: expected token ids, /) },
    ])
  })

  test('a source that throws when its iterator is made fails the stream', async () => {
    const stream = new ReadableStream<string>()
    stream.getReader()
    const { items } = await readAll(translate(stream, { ...options, onError() {} }))
    expect(brief(items)).toEqual(['created', 'in_progress', 'error', 'failed'])
  })
})

describe('the return value of a source', () => {
  const open = ['<|channel|>final<|message|>', 'Hi']

  test.each([
    [undefined, 'incomplete', 'max_output_tokens'],
    [{}, 'incomplete', 'max_output_tokens'],
    [{ reason: 'stop' }, 'completed', undefined],
    [{ reason: 'max_output_tokens' }, 'incomplete', 'max_output_tokens'],
    [{ reason: 'content_filter' }, 'incomplete', 'content_filter'],
  ] as const)('the return value of a source ends the response: %o', async (end, status, reason) => {
    const { returned } = await readAll(translate(new Watched(open, 'ends', end), options))
    expect(returned.status).toBe(status)
    expect(returned.incomplete_details?.reason).toBe(reason)
  })

  test('the counts that a source returns are in the usage', async () => {
    const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 3, reasoningTokens: 1 }
    const { returned } = await readAll(translate(new Watched(open, 'ends', { usage }), options))
    expect(returned.usage).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 13,
    })
  })

  test('the return value of a generator ends the response', async () => {
    function* source(): Generator<string, StreamEnd> {
      yield* open
      return { reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    }
    const { returned } = await readAll(translate(source(), options))
    expect(returned).toMatchObject({ status: 'completed', usage: { total_tokens: 2 } })
  })
})

describe('an abort', () => {
  const chunks = ['<|channel|>final<|message|>', 'a', 'b']

  function expectAborted({ items, returned }: Read<ResponseStreamEvent>): void {
    expect(items.filter(({ type }) => type === 'error')).toEqual([])
    expect(items.at(-1)?.type).toBe('response.failed')
    expect(returned).toEqual(terminal(items))
    expect(returned).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'aborted' } })
  }

  test('an abort before the start closes the source, which is never pulled', async () => {
    const source = new Watched(chunks)
    const read = await readAll(translate(source, { ...options, signal: AbortSignal.abort() }))
    await settled()
    expectAborted(read)
    expect(brief(read.items)).toEqual(['created', 'in_progress', 'failed'])
    expect(source).toMatchObject({ pulled: 0, closed: 1 })
  })

  test('an abort ends the wait for a source that never answers', async () => {
    const source = new Watched(chunks, 'hangs')
    const controller = new AbortController()
    const reading = readAll(translate(source, { ...options, signal: controller.signal }))
    await settled()
    expect(source).toMatchObject({ pulled: 4, closed: 0 })
    controller.abort()
    await Promise.resolve()
    await Promise.resolve()
    expect(source.closed).toBe(1)
    const read = await reading
    expectAborted(read)
    expect(briefOutput(read.returned)).toEqual(['message incomplete "ab"'])
    await settled()
    expect(source.closed).toBe(1)
  })

  test('an abort while the consumer is busy closes the source at once, and loses no event', async () => {
    const source = new Watched(chunks)
    const controller = new AbortController()
    const events = translate(source, { ...options, signal: controller.signal })
    const items: ResponseStreamEvent[] = []
    for (let taken = 0; taken < 3; taken++) items.push((await events.next()).value as ResponseStreamEvent)
    controller.abort('gone')
    await settled()
    expect(source).toMatchObject({ pulled: 1, closed: 1 })
    const rest = await readAll(events)
    expectAborted({ items: [...items, ...rest.items], returned: rest.returned })
    expect(brief([...items, ...rest.items])).toEqual([
      'created',
      'in_progress',
      'output_item.added 0',
      'content_part.added 0',
      'failed',
    ])
    expect(source.pulled).toBe(1)
  })

  test('an abort before the first event was asked for fails the response, and the source is never pulled', async () => {
    const source = new Watched(chunks)
    const controller = new AbortController()
    const events = translate(source, { ...options, signal: controller.signal })
    controller.abort()
    expectAborted(await readAll(events))
    expect(source.pulled).toBe(0)
  })

  test('an abort after the end changes nothing', async () => {
    const controller = new AbortController()
    const { returned } = await readAll(translate(chunks, { ...options, signal: controller.signal }))
    controller.abort()
    await settled()
    expect(returned.status).toBe('incomplete')
  })

  test('an abort makes nothing of a source that fails afterwards', async () => {
    const controller = new AbortController()
    let fail: (error: Error) => void = () => {}
    const next = (): Promise<never> =>
      new Promise((_, reject) => {
        fail = reject
      })
    const source = { [Symbol.asyncIterator]: () => ({ next }) }
    const reading = readAll(translate(source, { ...options, signal: controller.signal }))
    await settled()
    controller.abort()
    fail(new Error('aborted by the engine, too'))
    expectAborted(await reading)
  })

  test('an abort needs one listener for many chunks, which is gone in the end', async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    await readAll(translate(['<|channel|>final<|message|>', ...Array<string>(2000).fill('a')], { ...options, signal }))
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove.mock.calls[0]?.slice(0, 2)).toEqual(add.mock.calls[0]?.slice(0, 2))
  })

  test('an early return takes the listener of an abort with it', async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    for await (const _ of translate(chunks, { ...options, signal })) break
    expect(remove.mock.calls[0]?.slice(0, 2)).toEqual(add.mock.calls[0]?.slice(0, 2))
  })
})
