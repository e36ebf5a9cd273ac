import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import type { TranslateOptions } from '../../../src/core/options/options.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { createVllmEngine as createCheckedVllmEngine } from '../../../src/engines/sources/vllm.js'
import { type TokenSource, Translator, translate, translateBatches } from '../../../src/index.js'
import { brief, briefOutput, callTo, createRun, FIXED, messageOn, statusOf, terminal } from '../translate/run.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createVllmEngine: typeof createCheckedVllmEngine = (options) =>
  createCheckedVllmEngine(Object.assign({ checkModel: false }, options))

const NEUTRAL = 'The server had an internal error.'

/** Text that must never reach a client. */
const SECRET = 'ECONNREFUSED 10.0.0.3 password=hunter2'

/** Errors of the host's own code, in every form in which JavaScript lets it throw them. */
const HOSTS: Record<string, () => unknown> = {
  'an Error': () => new Error(SECRET),
  'a TypeError': () => new TypeError(SECRET),
  'an Error with a code of the API': () => Object.assign(new Error(SECRET), { code: 'invalid_prompt' }),
  'a text': () => SECRET,
  'an object with a message': () => ({ code: SECRET, message: SECRET }),
  'an object without a prototype': () => Object.assign(Object.create(null), { message: SECRET }),
  'an Error whose message cannot be read': () =>
    Object.defineProperty(new Error(SECRET), 'message', {
      get: () => {
        throw new Error(SECRET)
      },
    }),
  'an Error whose name cannot be read': () =>
    Object.defineProperty(new Error(SECRET), 'name', {
      get: () => {
        throw new Error(SECRET)
      },
    }),
  undefined: () => undefined,
  null: () => null,
  'a symbol': () => Symbol(SECRET),
  'a bigint': () => 10n,
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
}

function failing(error: unknown, chunks: readonly string[] = []): TokenSource {
  return (async function* () {
    yield* chunks
    throw error
  })()
}

async function read(source: TokenSource, options: Partial<TranslateOptions> = {}) {
  const events = []
  for await (const event of translate(source, { ...FIXED, ...options })) events.push(event)
  return events
}

describe('of an error in a source', () => {
  test.each(Object.entries(HOSTS))(
    'the client learns nothing of an error in a source, and the host all: %s',
    async (_, make) => {
      const error = make()
      const reported: unknown[] = []
      const events = await read(failing(error, ['<|channel|>final<|message|>', 'Hi']), {
        onError: (one) => reported.push(one),
      })
      expect(brief(events).slice(-2)).toEqual(['error', 'failed'])
      expect(terminal(events).error).toEqual({ code: 'server_error', message: NEUTRAL })
      expect(JSON.stringify(events)).not.toContain('hunter2')
      expect(reported).toHaveLength(1)
      expect(Object.is(reported[0], error)).toBe(true)
    },
  )

  test.each(['context_length_exceeded', 'invalid_prompt', 'rate_limit_exceeded'] as const)(
    'the client and the host learn the text of an EngineError %s in a source',
    async (code) => {
      const error = new EngineError(code, 'the prompt has 9000 tokens')
      const reported: unknown[] = []
      const events = await read(failing(error), { onError: (one) => reported.push(one) })
      expect(terminal(events).error).toEqual({ code, message: 'the prompt has 9000 tokens' })
      expect(reported).toEqual([error])
    },
  )

  test('an engine that cannot be reached tells the host its address, and the client nothing', async () => {
    const engine = createVllmEngine({
      url: 'http://gpu-3.internal:8000',
      model: 'gpt-oss',
      retries: 0,
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED 10.0.0.3:8000') })),
    })
    const reported: unknown[] = []
    const events = await read(engine.generate([1]), { onError: (one) => reported.push(one) })
    expect(terminal(events).error).toEqual({ code: 'server_error', message: NEUTRAL })
    expect(JSON.stringify(events)).not.toMatch(/gpu-3|10\.0\.0\.3/)
    expect(reported).toMatchObject([{ message: 'cannot connect to gpu-3.internal:8000: ECONNREFUSED 10.0.0.3:8000' }])
  })

  test('errors for a host without onError go to the console', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      await read(failing(new EngineError('rate_limit_exceeded', 'no capacity')))
      expect(error).not.toHaveBeenCalled()
      const thrown = [new Error(SECRET), new EngineError('server_error', SECRET)]
      for (const one of thrown) await read(failing(one))
      expect(error.mock.calls).toEqual(thrown.map((one) => [one]))
    } finally {
      error.mockRestore()
    }
  })

  test('what closing the source throws is for the host', async () => {
    const thrown = new Error(SECRET)
    const reported: unknown[] = []
    const source = (async function* () {
      try {
        yield '<|channel|>final<|message|>Hi'
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: it is what a careless host writes
        throw thrown
      }
    })()
    for await (const _ of translate(source, { ...FIXED, onError: (one) => reported.push(one) }))
      if (_.type.endsWith('delta')) break
    await vi.waitFor(() => expect(reported).toEqual([thrown]))
  })
})

describe('a source that gives nothing', () => {
  test('a source that gives nothing and does not say why fails the response, because it may be used up', async () => {
    const reported: unknown[] = []
    const source = (async function* () {
      yield '<|channel|>final<|message|>Hi<|return|>'
    })()
    expect(terminal(await read(source)).status).toBe('completed')
    expect(terminal(await read(source, { onError: (one) => reported.push(one) })).error?.message).toBe(NEUTRAL)
    expect(reported).toMatchObject([{ code: 'empty_source', message: expect.stringContaining('only once') }])
  })

  test('the response of a source that gives nothing, but says that it stopped, is complete', async () => {
    // biome-ignore lint/correctness/useYield: it has nothing to give
    const source = (async function* () {
      return { reason: 'stop' as const }
    })()
    expect(terminal(await read(source)).status).toBe('completed')
  })
})

describe('fail()', () => {
  test.each<[string, unknown, object]>([
    ['a text', 'boom', { code: 'server_error', message: 'boom' }],
    [
      'plain data',
      { code: 'rate_limit_exceeded', message: 'later' },
      { code: 'rate_limit_exceeded', message: 'later' },
    ],
    ['an EngineError', new EngineError('invalid_prompt', 'no'), { code: 'invalid_prompt', message: 'no' }],
    ['an Error', new Error(SECRET), { code: 'server_error', message: NEUTRAL }],
    ['data without a message', { reason: SECRET }, { code: 'server_error', message: NEUTRAL }],
    [
      'a plain object that a library threw',
      { code: 'EPIPE', message: SECRET, errno: -32 },
      { code: 'server_error', message: NEUTRAL },
    ],
    ['an engine that is gone', new EngineError('server_error', SECRET), { code: 'server_error', message: NEUTRAL }],
    ['a message that is not a string', { message: 5 }, { code: 'server_error', message: NEUTRAL }],
    ['a code that is not a string', { code: 5, message: 'no' }, { code: 'server_error', message: 'no' }],
    ['nothing', undefined, { code: 'server_error', message: NEUTRAL }],
  ])('fail() takes %s', (_, failure, error) => {
    const run = createRun({ onError() {} })
    run.push('<|channel|>final<|message|>Hi')
    const [errorEvent, failed] = run.fail(failure)
    expect(errorEvent).toMatchObject({ type: 'error', error })
    expect(failed).toMatchObject({ type: 'response.failed', response: { error } })
  })

  test.each(Object.entries(HOSTS))('fail() never throws, also not at %s', (_, make) => {
    const run = createRun({ onError() {} })
    expect(brief(run.fail(make()))).toEqual(['created', 'in_progress', 'error', 'failed'])
  })

  test('fail() reports to the host the details that the client does not learn', () => {
    const reported: unknown[] = []
    const error = new Error(SECRET)
    createRun({ onError: (one) => reported.push(one) }).fail(error)
    expect(reported).toEqual([error])
  })

  test('fail() sends one terminal event if the host says so, for WebSockets', () => {
    const run = createRun({ errorEvent: false })
    run.push('<|channel|>final<|message|>Hi')
    expect(brief(run.fail('boom'))).toEqual(['failed'])
  })

  test('a source that throws sends one terminal event if the host says so, for WebSockets', async () => {
    const events = await read(failing(new EngineError('invalid_prompt', 'gone')), { errorEvent: false })
    expect(brief(events)).toEqual(['created', 'in_progress', 'failed'])
    expect(terminal(events).error?.message).toBe('gone')
  })
})

/** Input that calls every callback of a translator. */
const EVERYTHING = [
  '<|channel|>analysis<|message|>Let me think.<|end|>',
  '<|start|>assistant',
  callTo('functions.f', '{}'),
  '<|call|>',
  '<|start|>assistant',
  callTo('github.search', '{}'),
  '<|call|>',
  '<|start|>assistant',
  messageOn('final', 'See 【1†L1-L2】. <|return|>'),
]

const GUARDED = { tools: [{ type: 'mcp', server_label: 'github', require_approval: 'always' }] } as const

const boom = (): never => {
  throw new Error(SECRET)
}
const later = (): Promise<never> => Promise.reject(new Error(SECRET))

describe('a callback that only observes', () => {
  const observers: Record<string, (callback: () => never) => Partial<TranslateOptions>> = {
    onDiagnostic: (callback) => ({ onDiagnostic: callback }),
    onError: (callback) => ({ onError: callback, onDiagnostic: callback }),
    trace: (callback) => ({ trace: traceTo(callback) }),
  }

  test.each(Object.entries(observers))(
    '%s, which only observes, changes nothing when it throws, and the host learns of it',
    async (name, optionsOf) => {
      const expected = await read(EVERYTHING, {})
      const reported: unknown[] = []
      const onError = (error: unknown) => reported.push(error)
      const given = { ...(name === 'onError' ? {} : { onError }) }
      expect(await read(EVERYTHING, { ...given, ...optionsOf(boom) })).toEqual(expected)
      if (name !== 'onError') expect(reported.length).toBeGreaterThan(0)
    },
  )

  test.each(Object.entries(observers))(
    '%s, which only observes, changes nothing when it is async and rejects',
    async (_, optionsOf) => {
      const expected = await read(EVERYTHING, {})
      expect(await read(EVERYTHING, { onError() {}, ...optionsOf(later as never) })).toEqual(expected)
    },
  )
})

/** A clock breaks after its first answer: the one that a translator is made with. */
function afresh(options: Partial<TranslateOptions>): Partial<TranslateOptions> {
  let calls = 0
  return { ...options, ...(options.clock && { clock: () => (calls++ === 0 ? 1_700_000_000 : boom()) }) }
}

describe('a callback whose answer the stream needs', () => {
  const needed: Record<string, Partial<TranslateOptions>> = {
    ids: { ids: boom },
    sealReasoning: { sealReasoning: boom, request: { include: ['reasoning.encrypted_content'] } },
    sealApproval: { sealApproval: boom, request: GUARDED },
    'a resolver of citations': { citations: urlCitations({ resolve: boom }) },
    'a clock that breaks': { clock: boom },
    'a parser': {
      parser: () => ({
        position: 'between',
        isHolding: false,
        push: boom,
        pushText: boom,
        flush: boom,
        beginTurn: boom,
        end: boom,
        snapshot: boom,
      }),
    },
    'async ids': { ids: later as never },
    'an async sealReasoning': { sealReasoning: later as never, request: { include: ['reasoning.encrypted_content'] } },
    'an async sealApproval': { sealApproval: later as never, request: GUARDED },
    'a tracer of the host': {
      trace: () => ({ deltaFrom: -1, before: boom, after: boom, observe: (handler) => handler, event: boom }),
    },
  }

  test.each(Object.entries(needed))(
    'a callback that the stream needs and that breaks fails the response once, and every next() resolves: %s',
    async (_, given) => {
      const reported: unknown[] = []
      const options = afresh(given)
      const stream = translateBatches(EVERYTHING, { ...FIXED, ...options, onError: (error) => reported.push(error) })
      const events = []
      for await (const batch of stream) events.push(...batch)
      expect(events.filter(({ type }) => type === 'response.failed')).toHaveLength(1)
      expect(brief(events).at(-1)).toBe('failed')
      expect(JSON.stringify(events)).not.toContain('hunter2')
      expect(reported.length).toBeGreaterThan(0)
    },
  )

  test.each(Object.entries(needed))(
    'a callback that the stream needs and that breaks throws from push or end, but not from fail or abort: %s',
    (_, given) => {
      for (const how of ['fail', 'abort'] as const) {
        const translator = new Translator({ ...FIXED, ...afresh(given), onError() {} })
        expect(() => {
          for (const chunk of EVERYTHING) translator.push(chunk)
          translator.end('stop')
        }).toThrow(/hunter2|expected a string, not a promise, got Promise/)
        expect(brief(translator[how]('over')).at(-1)).toBe('failed')
        expect(translator[how]('over')).toEqual([])
      }
    },
  )
})

test('whatever a source and its callbacks throw whenever, a stream has one terminal event, last', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(HOSTS)),
      fc.array(fc.nat(12), { maxLength: 4 }),
      fc.nat(EVERYTHING.length + 1),
      fc.boolean(),
      async (make, throwsAt, dies, isAborted) => {
        let calls = 0
        const sometimes = <Answer>(answer: Answer): Answer => {
          if (throwsAt.includes(calls++)) throw make()
          return answer
        }
        const abort = new AbortController()
        const source = (async function* () {
          for (const [at, chunk] of EVERYTHING.entries()) {
            if (at === dies) throw make()
            if (at + 1 === dies && isAborted) abort.abort(make())
            yield chunk
          }
        })()
        const events = await read(source, {
          ids: (prefix, ordinal) => sometimes(`${prefix}_${ordinal}`),
          onDiagnostic: () => sometimes(undefined),
          onError: () => sometimes(undefined),
          sealReasoning: (text) => sometimes(text),
          sealApproval: (_, itemId) => sometimes(`sealed ${itemId}`),
          citations: urlCitations({ resolve: () => sometimes({ url: 'https://example.com/' }) }),
          trace: traceTo(() => sometimes(undefined)),
          request: { include: ['reasoning.encrypted_content'], ...GUARDED },
          signal: abort.signal,
        })
        const ends = events.filter(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))
        expect(ends).toHaveLength(1)
        expect(events.at(-1)).toBe(ends[0])
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
        const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item.id] : []))
        const completed = terminal(events).output.filter((item) => statusOf(item) === 'completed')
        expect(done).toEqual(expect.arrayContaining(completed.map(({ id }) => id)))
      },
    ),
  ))

test('reasoning whose seal fails is incomplete in the failed response, and not reported as done', () => {
  const run = createRun({
    sealReasoning: boom,
    request: { include: ['reasoning.encrypted_content'] },
    onError() {},
  })
  expect(() => run.push('<|channel|>analysis<|message|>Let me think.<|end|>')).toThrow(SECRET)
  expect(brief(run.fail('over'))).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'content_part.added 0',
    'reasoning_text.delta 0 "Let me think."',
    'error',
    'failed',
  ])
  expect(briefOutput(run.translator.response)).toEqual(['reasoning incomplete "Let me think."'])
})

test('what making the translator throws is for the host, and next() rejects', async () => {
  const reported: unknown[] = []
  const stream = translate(EVERYTHING, { ...FIXED, parser: boom, onError: (error) => reported.push(error) })
  await expect(stream.next()).rejects.toThrow(SECRET)
  expect(reported).toMatchObject([{ message: SECRET }])
})

test('a source that cannot be read is asked, and reported, once', async () => {
  const reported: unknown[] = []
  let asked = 0
  const source = {
    [Symbol.asyncIterator]() {
      asked++
      throw new Error(SECRET)
    },
  }
  await read(source as never, { onError: (error) => reported.push(error) })
  expect({ asked, reported: reported.length }).toEqual({ asked: 1, reported: 1 })
})
