import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SourcePlanOptions, sourcePlan } from '../../src/conformance/arbitraries/index.js'
import { checkSource, type SourcePlan } from '../../src/conformance/check-source.js'
import type { TokenEngine } from '../../src/sources/engine.js'
import { EngineError } from '../../src/sources/engine-error.js'
import type { HttpOptions } from '../../src/sources/http/http-client.js'
import { readTokens } from './read-tokens.js'
import { frame, refuse, scriptedServer, stream } from './scripted-server.js'
import { cut } from './tokens.js'

const RUNS = Number(process.env['LAW_RUNS'] ?? 100)
const PROMPT = [200006, 173781]
const HELLO: SourcePlan = { tokens: [13225, 2375, 200002], cuts: [1], ending: 'stop', reader: { does: 'reads on' } }

/** One server's own shapes, as a test writes them. */
export interface HttpEngineShapes {
  readonly name: string
  create(options: HttpOptions): TokenEngine
  /** The events of a whole answer; where the plan ends in an error, with that as the last. */
  frames(plan: SourcePlan): readonly unknown[]
  /** How it refuses a prompt that is too long. */
  readonly tooLong: { readonly status: number; readonly body: unknown; readonly words: string }
  readonly generatePath: string
  readonly healthPath: string
  readonly plans?: SourcePlanOptions
}

/** What is true of every engine behind HTTP, against a real server. */
export function httpEngineLaws(shapes: HttpEngineShapes): void {
  const { name, create, frames } = shapes
  const server = scriptedServer()
  const waits: number[] = []
  const delay = async (ms: number): Promise<void> => void waits.push(ms)
  const open = (...answers: Parameters<typeof server.script>) => {
    const script = server.script(...answers)
    return { ...script, engine: create({ url: script.url, delay }) }
  }
  const errorOf = async (stream: Promise<unknown>): Promise<EngineError> => {
    const error = await stream.then(
      () => undefined,
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(EngineError)
    return error as EngineError
  }

  describe(`${name}: a call`, () => {
    test('keeps the laws of a source', async () => {
      await fc.assert(
        fc.asyncProperty(sourcePlan(shapes.plans), fc.boolean(), async (plan, breaks) => {
          const violations = await checkSource(async (plan, signal) => {
            const all = frames(plan)
            // An engine fails by saying so, or by not being there any more.
            const answer =
              plan.ending === 'error' && breaks
                ? stream(all.slice(0, -1), 'breaks')
                : stream(all, plan.ending === 'hang' ? 'hangs' : 'ends')
            const script = server.script(answer)
            const engine = create({ url: script.url, retries: 0 })
            return { source: engine.generate(PROMPT, { signal, maxTokens: 64 }), backend: script.backend }
          }, plan)
          expect(violations).toEqual([])
        }),
        { numRuns: RUNS },
      )
    })

    test('is the same, however the bytes of its answer are cut', async () => {
      const bytes = new TextEncoder().encode(`: a comment\n\n${frames(HELLO).map(frame).join('')}`)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }), async (sizes) => {
          const pieces = cut(bytes, sizes)
          const body = new ReadableStream<Uint8Array>({
            pull(controller) {
              const piece = pieces.shift()
              if (piece) controller.enqueue(piece)
              else controller.close()
            },
          })
          const engine = create({ url: 'http://server.invalid', fetch: async () => new Response(body) })
          const { tokens, end } = await readTokens(engine.generate(PROMPT, { maxTokens: 64 }))
          expect(tokens).toEqual(HELLO.tokens)
          expect(end?.reason).toBe('stop')
        }),
        { numRuns: RUNS },
      )
    })

    test('copies its prompt and its stop ids: it begins later', async () => {
      const { engine, asked } = open(stream(frames(HELLO)))
      const prompt = Uint32Array.from(PROMPT)
      const call = engine.generate(prompt, { maxTokens: 5 })
      prompt.fill(0)
      await readTokens(call)
      expect(JSON.stringify(asked[0]?.body)).toContain(JSON.stringify(PROMPT))
      expect(asked).toMatchObject([{ method: 'POST', path: shapes.generatePath }])
    })

    test('sends the key and the headers', async () => {
      const script = server.script(stream(frames(HELLO)))
      const engine = create({ url: `${script.url}/`, apiKey: 'secret', headers: { 'X-Tenant': 'a' } })
      await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))
      expect(script.asked[0]?.headers).toMatchObject({
        authorization: 'Bearer secret',
        'x-tenant': 'a',
        'content-type': 'application/json',
      })
    })

    test('ends at its own stop ids, also where the engine goes on, and closes the request', async () => {
      const plan = { ...HELLO, tokens: [1, 200007, 2, 3], ending: 'hang' as const }
      const { engine, backend } = open(stream(frames(plan), 'hangs'))
      const { tokens, end } = await readTokens(engine.generate(PROMPT, { stop: [200007], maxTokens: 64 }))
      expect(tokens).toEqual([1, 200007])
      expect(end?.reason).toBe('stop')
      await backend.closed
    })

    test('gives no more tokens than it was asked for', async () => {
      const plan = { ...HELLO, tokens: [1, 2, 3, 4], cuts: [3], ending: 'hang' as const }
      const { engine, backend } = open(stream(frames(plan), 'hangs'))
      const { tokens, end } = await readTokens(engine.generate(PROMPT, { maxTokens: 2 }))
      expect(tokens).toEqual([1, 2])
      expect(end?.reason).toBe('max_output_tokens')
      await backend.closed
    })

    test('refuses wrong arguments from the call itself', () => {
      const engine = create({ url: 'http://server.invalid' })
      expect(() => engine.generate([])).toThrow('promptTokens: expected at least one token id')
      expect(() => engine.generate(PROMPT, { logprobs: 21 })).toThrow('logprobs')
    })
  })

  describe(`${name}: what goes wrong`, () => {
    test('a prompt that is too long', async () => {
      const { status, body, words } = shapes.tooLong
      const { engine, asked } = open(refuse(status, body))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error).toMatchObject({ code: 'context_length_exceeded', message: words, status })
      expect(asked).toHaveLength(1)
    })

    test.each([
      [400, { error: { message: 'temperature must be a number' } }, 'invalid_prompt', 'temperature must be a number'],
      [422, { detail: [{ loc: ['body', 'x'] }] }, 'invalid_prompt', '[{"loc":["body","x"]}]'],
      [400, { object: 'error', message: 'an older shape', code: 400 }, 'invalid_prompt', 'an older shape'],
      [401, { error: 'Unauthorized' }, 'server_error', 'Unauthorized'],
      [404, { detail: 'Not Found' }, 'server_error', 'Not Found'],
      [500, 'a page of a proxy', 'server_error', 'a page of a proxy'],
      [500, '', 'server_error', 'Internal Server Error'],
    ])('status %i with %j', async (status, body, code, message) => {
      const { engine } = open(refuse(status, body))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error).toMatchObject({ code, message, status })
    })

    test('an error in the stream, after the tokens before it', async () => {
      const error = { message: 'the engine fell over', type: 'InternalServerError', param: null, code: 500 }
      const { engine } = open(stream([...frames({ ...HELLO, tokens: [1, 2], ending: 'hang' }), { error }, '[DONE]']))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      expect((await call.next()).value).toEqual([1])
      expect((await call.next()).value).toEqual([2])
      expect(await errorOf(call.next())).toMatchObject({
        code: 'server_error',
        message: 'the engine fell over',
        status: 500,
      })
      expect(await call.next()).toEqual({ done: true, value: undefined })
    })

    test('a line that is not JSON', async () => {
      const { engine } = open(stream([...frames({ ...HELLO, tokens: [1], ending: 'hang' }), '{"choices":']))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect(await errorOf(call.next())).toMatchObject({
        code: 'server_error',
        message: 'expected JSON in the engine\'s stream, got "{\\"choices\\":"',
      })
    })

    test('an answer that is no stream', async () => {
      const { engine } = open(refuse(200, '<html>\n<h1>Welcome</h1>\n'))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error.message).toBe('expected a stream of events, got the line "<html>"')
    })

    test('an event of another shape', async () => {
      const { engine } = open(stream([{ hello: 'world' }]))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error.code).toBe('server_error')
      expect(error.message).toMatch(new RegExp(`^${name}: .*expected .*, got .+$`))
    })

    test('a stream that ends without a reason', async () => {
      const { engine } = open(stream([...frames({ ...HELLO, tokens: [1], ending: 'hang' }), '[DONE]']))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect((await errorOf(call.next())).message).toBe('the stream ended before the engine said why')
    })

    test('nobody there', async () => {
      const engine = create({ url: 'http://127.0.0.1:9', delay, retries: 1 })
      waits.length = 0
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error.code).toBe('server_error')
      expect(error.message).toMatch(/^no connection to 127\.0\.0\.1:9: /)
      expect(waits).toEqual([500])
    })
  })

  describe(`${name}: another try`, () => {
    test.each([429, 502, 503, 504])('follows status %i', async (status) => {
      waits.length = 0
      const { engine, asked } = open(
        refuse(status, { error: { message: 'busy' } }),
        refuse(status, { error: { message: 'busy' } }, { 'retry-after': '7' }),
        stream(frames(HELLO)),
      )
      expect((await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      expect(asked).toHaveLength(3)
      expect(waits).toEqual([500, 7000])
    })

    test('follows a connection that is lost before the first token', async () => {
      const { engine, asked } = open(stream([], 'breaks'), stream(frames(HELLO)))
      expect((await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      expect(asked).toHaveLength(2)
    })

    test('comes twice at most by default, and then the error as the server has it', async () => {
      const { engine, asked } = open(refuse(429, { error: { message: 'slow down' } }))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', message: 'slow down', status: 429 })
      expect(asked).toHaveLength(3)
    })

    test('does not come where the server wants to be left alone for long', async () => {
      const { engine, asked } = open(refuse(503, { error: { message: 'later' } }, { 'retry-after': '3600' }))
      expect(await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))).toMatchObject({ message: 'later' })
      expect(asked).toHaveLength(1)
    })

    test('does not come after a token', async () => {
      const { engine, asked } = open(stream(frames({ ...HELLO, tokens: [1], ending: 'hang' }), 'breaks'))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect(await errorOf(call.next())).toMatchObject({ code: 'server_error' })
      expect(asked).toHaveLength(1)
    })

    test('does not come to whoever has left while it was waited for', async () => {
      const script = server.script(refuse(503, { error: { message: 'loading' } }))
      let waitsForIt = (): void => {}
      const isWaiting = new Promise<void>((resolve) => {
        waitsForIt = resolve
      })
      const engine = create({
        url: script.url,
        delay: (_, signal) => {
          waitsForIt()
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
        },
      })
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      const step = call.next()
      await isWaiting
      await call.return()
      expect(await step).toEqual({ done: true, value: undefined })
      expect(script.asked).toHaveLength(1)
    })
  })

  describe(`${name}: its health`, () => {
    test('is what the server says', async () => {
      const { engine, asked } = open(
        (response) => void response.writeHead(200).end(),
        refuse(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
      )
      await engine.health()
      expect(asked).toMatchObject([{ method: 'GET', path: shapes.healthPath }])
      expect(await errorOf(engine.health())).toMatchObject({
        code: 'server_error',
        message: 'Loading model',
        status: 503,
      })
      expect(asked).toHaveLength(2)
    })

    test('is not waited for by whoever aborts', async () => {
      const { engine } = open(() => {})
      const call = new AbortController()
      const health = engine.health({ signal: call.signal })
      const reason = new Error('enough')
      call.abort(reason)
      await expect(health).rejects.toBe(reason)
    })
  })

  test(`${name}: wrong options are refused at once`, () => {
    expect(() => create(undefined as never)).toThrow(/^(url|options): expected/)
    expect(() => create({ url: 'localhost:8000' })).toThrow('url: expected an http or https URL, got "localhost:8000"')
    expect(() => create({ url: 'http://a', retries: -1 })).toThrow('retries')
    expect(() => create({ url: 'http://a', fetch: 1 as never })).toThrow('fetch')
  })
}
