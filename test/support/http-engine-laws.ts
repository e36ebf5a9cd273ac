import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import {
  type Constraint,
  type ConstraintKind,
  STOP_TOKENS,
  type TokenEngine,
} from '../../src/engines/contract/index.js'
import { MAX_EVENT_LENGTH, MAX_LINES } from '../../src/engines/sources/http/event-reader.js'
import type { HttpOptions } from '../../src/engines/sources/http/http-client.js'
import { translate } from '../../src/index.js'
import { codePoint } from '../../src/judge/conformance/arbitraries/code-point.js'
import { type SourcePlanOptions, sourcePlan } from '../../src/judge/conformance/arbitraries/index.js'
import { checkSource, type SourcePlan } from '../../src/judge/conformance/check-source.js'
import { constraintLaws, exampleOf } from './constraint-laws.js'
import { errorOf } from './error-of.js'
import { readTokens } from './read-tokens.js'
import { runs } from './runs.js'
import { type Answer, frame, refuse, scriptedServer, stream } from './scripted-server.js'
import { cut } from './tokens.js'

const RUNS = runs(100)
const PROMPT = [200006, 173781]
const HELLO: SourcePlan = { tokens: [13225, 2375, 200002], cuts: [1], ending: 'stop', reader: { does: 'reads on' } }

/** One server's own shapes, as a test writes them. */
export interface HttpEngineShapes {
  readonly name: string
  create(options: HttpOptions): TokenEngine
  /** All events of an answer, which counts the two tokens of its prompt. If the plan ends in an error, it is the last one. */
  frames(plan: SourcePlan): readonly unknown[]
  /** How it refuses a prompt that is too long. */
  readonly tooLong: { readonly status: number; readonly body: unknown; readonly words: string }
  readonly generatePath: string
  readonly healthPath: string
  readonly plans?: SourcePlanOptions
  /** The server's answers about itself, by path. */
  readonly aside?: Readonly<Record<string, unknown>>
  /** How it reports a context length, and where. */
  readonly context: {
    readonly path: string
    /** Other requests of `capabilities()`. */
    readonly others?: readonly string[]
    of(length: number): unknown
    readonly unknown: unknown
  }
  /** The kinds of constraints that it holds. */
  readonly constraints: readonly ConstraintKind[]
  /** Returns the constraint in a request's body, and the ids that it bans. */
  constrained(body: unknown): { readonly constraint: unknown; readonly banned: ReadonlySet<number> }
}

/** Laws of every HTTP engine, tested against a real server. */
export function httpEngineLaws(shapes: HttpEngineShapes): void {
  const { name, create, frames } = shapes
  const server = scriptedServer(shapes.aside)
  const bareServer = scriptedServer()
  /** A server as a fetch function. It answers only calls. */
  const fetchOf = (answer: (url: string, init: RequestInit) => Response | Promise<Response>): typeof fetch => {
    return async (url, init = {}) => {
      const answered = shapes.aside?.[new URL(String(url)).pathname]
      return answered === undefined ? answer(String(url), init) : Response.json(answered)
    }
  }
  const waits: number[] = []
  const delay = async (ms: number): Promise<void> => void waits.push(ms)
  const open = (...answers: Parameters<typeof server.script>) => {
    const script = server.script(...answers)
    return { ...script, engine: create({ url: script.url, delay }) }
  }
  describe(`${name}: calls`, () => {
    test(`${name}: a call keeps the laws of a source`, async () => {
      await fc.assert(
        fc.asyncProperty(sourcePlan(shapes.plans), fc.boolean(), async (plan, breaks) => {
          const violations = await checkSource(async (plan, signal) => {
            const all = frames(plan)
            // An engine fails with an error event or by dropping the connection.
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

    test(`${name}: a call yields the same tokens, however the bytes of the answer are cut`, async () => {
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
          const engine = create({ url: 'http://server.invalid', fetch: fetchOf(() => new Response(body)) })
          const { tokens, end } = await readTokens(engine.generate(PROMPT, { maxTokens: 64 }))
          expect(tokens).toEqual(HELLO.tokens)
          expect(end?.reason).toBe('stop')
        }),
        { numRuns: RUNS },
      )
    })

    test(`${name}: a call copies its prompt and its stop ids, because it begins later`, async () => {
      const { engine, asked } = open(stream(frames(HELLO)))
      const prompt = Uint32Array.from(PROMPT)
      const call = engine.generate(prompt, { maxTokens: 5 })
      prompt.fill(0)
      await readTokens(call)
      expect(JSON.stringify(asked[0]?.body)).toContain(JSON.stringify(PROMPT))
      expect(asked).toMatchObject([{ method: 'POST', path: shapes.generatePath }])
    })

    test(`${name}: a call sends the key and the headers`, async () => {
      const script = server.script(stream(frames(HELLO)))
      const engine = create({ url: `${script.url}/`, apiKey: 'secret', headers: { 'X-Tenant': 'a' } })
      await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))
      expect(script.asked[0]?.headers).toMatchObject({
        authorization: 'Bearer secret',
        'x-tenant': 'a',
        'content-type': 'application/json',
      })
    })

    test(`${name}: a key that changes is sent with the next request, and neither it nor the one before is repeated`, async () => {
      let key = 'hunter22'
      const sent: (string | null)[] = []
      const fetch = async (_: unknown, { headers }: RequestInit = {}) => {
        sent.push(new Headers(headers).get('authorization'))
        return Response.json({ error: { message: `no ${key}, no hunter22` } }, { status: 400 })
      }
      const engine = create({ url: 'http://server.invalid', fetch, apiKey: () => key, checkModel: false })
      const messages: string[] = []
      for (const next of ['hunter22', 'correct-horse', 'correct-horse']) {
        key = next
        messages.push((await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))).message)
      }
      expect(sent).toEqual(['Bearer hunter22', 'Bearer correct-horse', 'Bearer correct-horse'])
      for (const message of messages) expect(message).toMatch(/no \[hidden\], no \[hidden\]/)
    })

    test(`${name}: a call ends at its own stop ids, even if the engine continues, and closes the request`, async () => {
      const plan = { ...HELLO, tokens: [1, 200007, 2, 3], ending: 'hang' as const }
      const { engine, backend } = open(stream(frames(plan), 'hangs'))
      const { tokens, end } = await readTokens(engine.generate(PROMPT, { stop: [200007], maxTokens: 64 }))
      expect(tokens).toEqual([1, 200007])
      expect(end?.reason).toBe('stop')
      await backend.closed
    })

    test(`${name}: a call yields no more tokens than it was asked for`, async () => {
      const plan = { ...HELLO, tokens: [1, 2, 3, 4], cuts: [3], ending: 'hang' as const }
      const { engine, backend } = open(stream(frames(plan), 'hangs'))
      const { tokens, end } = await readTokens(engine.generate(PROMPT, { maxTokens: 2 }))
      expect(tokens).toEqual([1, 2])
      expect(end?.reason).toBe('max_output_tokens')
      await backend.closed
    })

    test(`${name}: generate() itself throws on wrong arguments`, () => {
      const engine = create({ url: 'http://server.invalid' })
      expect(() => engine.generate([])).toThrow('promptTokens: expected at least one token id')
      expect(() => engine.generate(PROMPT, { logprobs: 21 })).toThrow('logprobs')
    })
  })

  describe(`${name}: failures`, () => {
    test(`${name}: a prompt that is too long fails with context_length_exceeded`, async () => {
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
      [500, 'a page of a proxy', 'server_error', 'a page of a proxy'],
      [500, '', 'server_error', 'Internal Server Error'],
    ])(`${name}: status %i with %j is an error`, async (status, body, code, message) => {
      const { engine } = open(refuse(status, body))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error).toMatchObject({ code, message, status })
    })

    test(`${name}: a path that does not exist is an error that names the path`, async () => {
      const { engine, url } = open(refuse(404, { detail: 'Not Found' }))
      const { message } = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      const path = new URL(url).pathname
      expect(message).toBe(`Not Found (POST ${url}${shapes.generatePath}: should url end in ${path}?)`)
    })

    test(`${name}: a path that does not exist is an error without the user, the password and the query of the URL`, async () => {
      const fetch = fetchOf(() => new Response('{"error":"Not Found"}', { status: 404 }))
      const engine = create({ url: 'http://ann:hunter22@h:1/?key=hunter33', fetch })
      const { message } = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(message).toBe(`Not Found (POST http://h:1${shapes.generatePath})`)
    })

    test(`${name}: an error in the stream comes after the tokens before it`, async () => {
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

    test(`${name}: a line that is not JSON is an error`, async () => {
      const { engine } = open(stream([...frames({ ...HELLO, tokens: [1], ending: 'hang' }), '{"choices":']))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect(await errorOf(call.next())).toMatchObject({
        code: 'server_error',
        message: 'expected JSON in the engine\'s stream, got "{\\"choices\\":"',
      })
    })

    test(`${name}: an answer that is not an event stream is an error`, async () => {
      const { engine } = open(refuse(200, '<html>\n<h1>Welcome</h1>\n'))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error.message).toBe('expected a stream of events, got the line "<html>"')
    })

    test(`${name}: an event of another shape is an error`, async () => {
      const { engine } = open(stream([{ hello: 'world' }]))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error.code).toBe('server_error')
      expect(error.message).toMatch(new RegExp(`^${name}: .*expected .*, got .+$`))
    })

    test(`${name}: a stream that ends without a finish reason is an error`, async () => {
      const { engine } = open(stream([...frames({ ...HELLO, tokens: [1], ending: 'hang' }), '[DONE]']))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect((await errorOf(call.next())).message).toBe('the stream ended without a finish reason')
    })

    test(`${name}: a server that cannot be reached is asked once more, soon, and is an error then`, async () => {
      const engine = create({ url: 'http://127.0.0.1:9', delay, retries: 2 })
      waits.length = 0
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect([error.code, error.isUnavailable]).toEqual(['server_error', true])
      expect(error.message).toMatch(/^cannot connect to 127\.0\.0\.1:9: /)
      expect(waits).toEqual([100])
    })
  })

  describe(`${name}: limits`, () => {
    /** An answer that never ends, with how much of it was read and whether it was cancelled. */
    function endless(status: number, ...pieces: string[]) {
      const [first = '', ...rest] = pieces.map((piece) => new TextEncoder().encode(piece.padEnd(1)))
      const seen = { bytes: 0, isCancelled: false }
      let next: Uint8Array = first as Uint8Array
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(next)
          seen.bytes += next.length
          next = rest[0] ?? next
        },
        cancel() {
          seen.isCancelled = true
        },
      })
      const fetch = fetchOf(() => new Response(body, { status }))
      return { seen, engine: create({ url: 'http://server.invalid', fetch, retries: 0 }) }
    }

    const KIBI = 1024
    const LINE = 'x'.repeat(64 * KIBI)
    const TOO_LONG = `expected events of at most ${MAX_EVENT_LENGTH} characters and ${MAX_LINES} lines, got a longer one`

    test(`${name}: at most 64 Ki characters of a refusal are read, and the request is cancelled`, async () => {
      const { seen, engine } = endless(500, LINE)
      const { message, status } = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(message).toBe(`${'x'.repeat(2000)} (the first of more than ${64 * KIBI} characters)`)
      expect(status).toBe(500)
      expect(seen).toEqual({ bytes: expect.any(Number), isCancelled: true })
      expect(seen.bytes).toBeLessThan(1024 * KIBI)
    })

    test.each([
      ['a line', ['data: ', LINE]],
      ['an event of many lines', [`data: ${LINE}\n`]],
      ['a line that is no event', ['<p>', LINE]],
    ])(`${name}: %s without an end is read up to a bound, and the request is cancelled`, async (_, pieces) => {
      const { seen, engine } = endless(200, ...pieces)
      const { code, message } = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(code).toBe('server_error')
      expect(message).toBe(TOO_LONG)
      expect(seen.isCancelled).toBe(true)
      expect(seen.bytes).toBeLessThan(MAX_EVENT_LENGTH + 1024 * KIBI)
    })

    test(`${name}: an event of short lines without an end is read up to a number of lines`, async () => {
      const { seen, engine } = endless(200, 'data: x\n'.repeat(1000))
      const { message } = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(message).toBe(TOO_LONG)
      expect(seen.isCancelled).toBe(true)
      expect(seen.bytes).toBeLessThan(2 * MAX_LINES * 'data: x\n'.length)
    })

    /** Their lines alone are more than the bound, and so are the pieces that end in the middle of a blank line. */
    const PINGS = Array.from({ length: MAX_LINES / 4 }, () => [': ping\n', '\n', ': ping\r\n', '\r', '\n']).flat()

    test.each([
      ['in one piece', [PINGS.join('')]],
      ['line by line', PINGS],
    ])(`${name}: comments that keep the connection alive do not count towards the bound, %s`, async (_, pings) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of [...pings, ...frames(HELLO).map(frame)])
            controller.enqueue(new TextEncoder().encode(piece))
          controller.close()
        },
      })
      const fetch = fetchOf(() => new Response(body, { status: 200 }))
      const engine = create({ url: 'http://server.invalid', fetch, retries: 0 })
      await expect(readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).resolves.toBeDefined()
    })

    test(`${name}: a stream that stays open ends soon after its finish reason`, async () => {
      const sent = frames(HELLO).filter((one) => one !== '[DONE]')
      let isAborted = false
      const fetch = fetchOf((_, { signal }) => {
        const body = new ReadableStream({
          start(controller) {
            for (const one of sent) controller.enqueue(new TextEncoder().encode(frame(one)))
            signal?.addEventListener('abort', () => {
              isAborted = true
              controller.error(signal.reason)
            })
          },
        })
        return new Response(body)
      })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        const call = readTokens(create({ url: 'http://server.invalid', fetch }).generate(PROMPT, { maxTokens: 64 }))
        let isOver = false
        call.finally(() => {
          isOver = true
        })
        for (let seconds = 0; seconds < 10 && !isOver; seconds++) await vi.advanceTimersByTimeAsync(1000)
        const { tokens, end } = await call
        expect(tokens).toEqual(HELLO.tokens)
        expect(end).toMatchObject({ reason: 'stop', usage: { inputTokens: 2 } })
        expect(isAborted).toBe(true)
      } finally {
        vi.useRealTimers()
      }
    })
  })

  describe(`${name}: secrets`, () => {
    test(`${name}: a user and a password in the URL are sent as basic authorization, not in the URL`, async () => {
      let asked: { url: string; authorization: string | null } | undefined
      const fetch = fetchOf((url, { headers }) => {
        asked = { url, authorization: new Headers(headers).get('authorization') }
        return new Response(frames(HELLO).map(frame).join(''))
      })
      const url = 'http://b%C3%B6b:p%40ss%3Aw%25rd%@server.invalid/a/?key=1'
      await readTokens(create({ url, fetch }).generate(PROMPT, { maxTokens: 64 }))
      const basic = Buffer.from('böb:p@ss:w%rd%').toString('base64')
      const at = `http://server.invalid/a${shapes.generatePath}?key=1`
      expect(asked).toEqual({ url: at, authorization: `Basic ${basic}` })
    })

    test.each([
      ['apiKey', { apiKey: 'another' }],
      ['headers["authorization"]', { headers: { authorization: 'Bearer another' } }],
    ])(`${name}: a user in the URL beside %s is refused`, (what, more) => {
      const create_ = () => create({ url: 'http://bob:hunter22@server.invalid', ...more })
      expect(create_).toThrow(`${what}: expected it unset when url has a user and password, got both`)
    })

    test(`${name}: the same credentials given twice are accepted`, () => {
      const authorization = `Basic ${btoa('bob:hunter22')}`
      expect(() => create({ url: 'http://bob:hunter22@server.invalid', headers: { authorization } })).not.toThrow()
    })

    test.each([
      ['a key with a line break', { apiKey: 'hunter22\nX-Role: admin' }, 'apiKey: .* got one with a line break'],
      [
        'a function whose key has a line break',
        { apiKey: () => 'hunter22\nX' },
        'apiKey: .* got one with a line break',
      ],
      ['a key that HTTP cannot send', { apiKey: 'hunter22\u20ac' }, 'apiKey: .* got a character outside that range'],
      [
        'a key that is none',
        { apiKey: { key: 'hunter22' } as never },
        'apiKey: expected a string, got a value of type',
      ],
      [
        'a header with a line break',
        { headers: { 'x-a': 'hunter22\r\nx-b: c' } },
        'headers\\["x-a"\\]: .* a line break',
      ],
      ['a header that is no text', { headers: { 'x-a': undefined as never } }, 'headers\\["x-a"\\]: expected a string'],
      ['a header without a name', { headers: { 'x-a: hunter22': '' } }, 'headers: expected valid HTTP header names'],
      ['a list of headers', { headers: [['x-a', 'hunter22']] as never }, 'headers: expected an object of names'],
      ['a Headers', { headers: new Headers({ a: 'hunter22' }) as never }, 'headers: expected an object of names'],
      [
        'a URL that is none',
        { url: 'http://bob:hun#ter22@h/' },
        'url: expected an http or https URL, got text that is not a valid URL',
      ],
      [
        'a URL without http',
        { url: 'bob:hunter22@h' },
        'url: expected an http or https URL, got text that is not a valid URL',
      ],
      ['a URL with a #', { url: 'http://bob:1#hunter22@h/' }, 'url: expected an http or https URL, got one with a #'],
      ['a user with a colon', { url: 'http://b%3Ab:hunter22@h/' }, 'url: expected a user name without a colon'],
    ])(`${name}: %s is refused, and not repeated in the error`, (_, options, words) => {
      let error: unknown
      try {
        create({ url: 'http://server.invalid', ...options })
      } catch (thrown) {
        error = thrown
      }
      expect(error).toMatchObject({ name: 'HarmonyResponsesError', code: 'bad_option' })
      expect((error as Error).message).toMatch(new RegExp(`^${words}`))
      expect(inspect(error)).not.toContain('hunter22')
    })

    test(`${name}: no error message holds a secret, regardless of its author`, async () => {
      const printable = fc.string({ minLength: 4, maxLength: 24 }).map((text) => `kX9q${text}z7`)
      const anyText = fc.string({ minLength: 4, maxLength: 24, unit: 'grapheme' }).map((text) => `kX9q${text}z7`)
      const secrets = fc.record({
        user: anyText.map((text) => text.replaceAll(':', '')),
        password: anyText,
        query: anyText,
        key: printable,
        header: printable,
      })
      await fc.assert(
        fc.asyncProperty(secrets, fc.boolean(), fc.constantFrom(...BETRAYALS), async (secret, isKey, betrayal) => {
          const { user, password, query, key, header } = secret
          const parts = isKey ? [query, key, header] : [user, password, query, header]
          const userinfo = isKey ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
          const options: HttpOptions = {
            url: `http://${userinfo}server.invalid/a?api=${encodeURIComponent(query)}`,
            ...(isKey ? { apiKey: key } : {}),
            headers: { 'x-secret': header },
            retries: 1,
            delay: async () => {},
            fetch: async (url, { headers } = {}) => {
              const sent = [...new Headers(headers).values(), String(url), options.url]
              return betrayal([...sent, ...parts].join(' '))
            },
          }
          const engine = create(options)
          const errors = [await errorOf(engine.health().then(() => readTokens(engine.generate(PROMPT))))]
          errors.push(await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 }))))
          const events: unknown[] = []
          const onError = (error: unknown): void => void errors.push(error as (typeof errors)[number])
          for await (const event of translate(engine.generate(PROMPT, { maxTokens: 5 }), { onError }))
            events.push(event)
          const shown = `${inspect(errors, { depth: 9, showHidden: true })} ${JSON.stringify(events)}`
          for (const part of parts) {
            expect(shown).not.toContain(part)
            expect(shown).not.toContain(encodeURIComponent(part))
            expect(shown).not.toContain(JSON.stringify(part).slice(1, -1))
          }
          // A shortened message must not hold a part of it either.
          expect(shown).not.toContain('kX9q')
        }),
        { numRuns: RUNS },
      )
    })
  })

  describe(`${name}: retries`, () => {
    test.each([429, 502, 503, 504])(`${name}: status %i is retried`, async (status) => {
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

    test(`${name}: a connection that is lost before the first token is retried`, async () => {
      const { engine, asked } = open(stream([], 'breaks'), stream(frames(HELLO)))
      expect((await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      expect(asked).toHaveLength(2)
    })

    const closes: Answer = (response) => void response.destroy()

    test(`${name}: a call is sent again where the server closes its connection without an answer`, async () => {
      waits.length = 0
      const { engine, asked } = open(closes, closes, stream(frames(HELLO)))
      expect((await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      expect(asked).toHaveLength(3)
      expect(waits).toEqual([100, 100])
    })

    test(`${name}: a call fails if the server closes every connection without an answer`, async () => {
      const { engine, asked } = open(closes)
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect([error.code, error.isUnavailable]).toEqual(['server_error', true])
      expect(asked).toHaveLength(3)
    })

    test(`${name}: health() asks again where the server closes its connection without an answer`, async () => {
      const { url, asked } = bareServer.script(closes, (response) => void response.writeHead(200).end())
      await create({ url, delay }).health()
      expect(asked).toHaveLength(2)
    })

    test(`${name}: a stream that ends before the first token is retried`, async () => {
      const { engine, asked } = open(stream([]), stream(['[DONE]']), stream(frames(HELLO)))
      expect((await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      expect(asked).toHaveLength(3)
    })

    test(`${name}: a call is retried as often as configured, after a minute at most`, async () => {
      const script = server.script(refuse(503, { error: { message: 'loading' } }))
      waits.length = 0
      const engine = create({ url: script.url, delay, retries: 10 })
      await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(script.asked).toHaveLength(11)
      expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    })

    test(`${name}: a call is retried twice by default, and then fails with the server's error`, async () => {
      const { engine, asked } = open(refuse(429, { error: { message: 'slow down' } }))
      const error = await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', message: 'slow down', status: 429 })
      expect(asked).toHaveLength(3)
    })

    test(`${name}: a call is not retried if the server asks for a long wait`, async () => {
      const { engine, asked } = open(refuse(503, { error: { message: 'later' } }, { 'retry-after': '3600' }))
      expect(await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))).toMatchObject({ message: 'later' })
      expect(asked).toHaveLength(1)
    })

    test(`${name}: a call is not retried after its first token`, async () => {
      const { engine, asked } = open(stream(frames({ ...HELLO, tokens: [1], ending: 'hang' }), 'breaks'))
      const call = engine.generate(PROMPT, { maxTokens: 5 })
      await call.next()
      expect(await errorOf(call.next())).toMatchObject({ code: 'server_error' })
      expect(asked).toHaveLength(1)
    })

    test(`${name}: a call that is closed while it waits is not retried`, async () => {
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

  describe(`${name}: health`, () => {
    test(`${name}: health() reports the server's health`, async () => {
      const { url, asked } = bareServer.script(
        (response) => void response.writeHead(200).end(),
        refuse(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
      )
      const engine = create({ url, delay })
      await engine.health()
      expect(asked).toMatchObject([{ method: 'GET', path: shapes.healthPath }])
      expect(await errorOf(engine.health())).toMatchObject({
        code: 'server_error',
        message: 'Loading model',
        status: 503,
      })
      expect(asked).toHaveLength(2)
    })

    test.each([401, 403, 404, 405])(
      `${name}: a server whose proxy answers %i to all but the paths of OpenAI's API is healthy if it lists its models`,
      async (status) => {
        let models = 200
        const fetch = async (url: unknown) =>
          new Response('{}', { status: String(url).endsWith('/v1/models') ? models : status })
        const engine = create({ url: 'http://server.invalid', fetch, retries: 0 })
        await expect(engine.health()).resolves.toBeUndefined()
        models = 502
        expect(await errorOf(engine.health())).toMatchObject({ code: 'server_error', status: 502 })
      },
    )

    test(`${name}: health() rejects at once when it is aborted`, async () => {
      const engine = create({ url: bareServer.script(() => {}).url })
      const call = new AbortController()
      const health = engine.health({ signal: call.signal })
      const reason = new Error('enough')
      call.abort(reason)
      await expect(health).rejects.toBe(reason)
    })
  })

  constraintLaws(name, () => create({ url: 'http://server.invalid' }), shapes.constraints)

  describe(`${name}: constraints`, () => {
    const constraintSent = async (constraint: Constraint) => {
      const { engine, asked } = open(stream(frames(HELLO)))
      const { tokens, end } = await readTokens(engine.generate(PROMPT, { constraint, maxTokens: 5, stop: [200007] }))
      expect(tokens).toEqual(HELLO.tokens)
      expect(end?.reason).toBe('stop')
      return shapes.constrained(asked.find(({ method }) => method === 'POST')?.body)
    }

    test.each(shapes.constraints)(
      `${name}: a constraint is sent, and every end of sequence ends the call: %s`,
      async (kind) => {
        expect((await constraintSent(exampleOf(kind))).constraint).toBeDefined()
      },
    )

    test.each(shapes.constraints)(
      `${name}: beside a constraint every named special token is banned that is no end of sequence, and no text: %s`,
      async (kind) => {
        const { banned } = await constraintSent(exampleOf(kind))
        for (let id = FIRST_SPECIAL; id <= 200_018; id++) if (!STOP_TOKENS.includes(id)) expect(banned).toContain(id)
        expect(banned).not.toContain(200002)
        expect(Math.min(...banned)).toBe(FIRST_SPECIAL)
      },
    )

    test(`${name}: without a constraint nothing is constrained or banned`, async () => {
      const { engine, asked } = open(stream(frames(HELLO)))
      await readTokens(engine.generate(PROMPT, { maxTokens: 5 }))
      const { constraint, banned } = shapes.constrained(asked.find(({ method }) => method === 'POST')?.body)
      expect([constraint, banned.size]).toEqual([undefined, 0])
    })

    test.runIf(shapes.constraints.includes('json_schema'))(
      `${name}: a constraint is copied, because the call begins later`,
      async () => {
        const jsonSchema: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: false }
        const { engine, asked } = open(stream(frames(HELLO)))
        const call = engine.generate(PROMPT, { constraint: { jsonSchema }, maxTokens: 5 })
        jsonSchema['properties'] = { other: { type: 'string' } }
        await readTokens(call)
        expect(JSON.stringify(asked.find(({ method }) => method === 'POST')?.body)).not.toContain('other')
      },
    )
  })

  describe(`${name}: capabilities`, () => {
    const counting = (answer: () => Response) => {
      const paths: string[] = []
      const fetch = async (url: unknown) => {
        paths.push(new URL(String(url)).pathname)
        return answer()
      }
      return { paths, engine: create({ url: 'http://server.invalid', fetch, retries: 0 }) }
    }

    test(`${name}: capabilities() tells the context length, and asks for it once`, async () => {
      const { paths, engine } = counting(() => Response.json(shapes.context.of(8192)))
      const { contextLength, constraints } = (await engine.capabilities?.()) ?? {}
      expect([contextLength, constraints]).toEqual([8192, shapes.constraints])
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 8192 })
      expect(paths).toEqual([shapes.context.path, ...(shapes.context.others ?? [])])
    })

    /** A server whose context length may change, which answers calls with `refusal`, and nothing while it is down. */
    const restarting = (refusal?: () => Response) => {
      const now = { length: 8192, isDown: false }
      const fetch = async (url: unknown) => {
        if (now.isDown) throw new TypeError('fetch failed')
        const { pathname } = new URL(String(url))
        if (refusal !== undefined && pathname === shapes.generatePath) return refusal()
        return Response.json(shapes.aside?.[pathname] ?? shapes.context.of(now.length))
      }
      return { now, engine: create({ url: 'http://server.invalid', fetch, retries: 0 }) }
    }
    const refused = (status: number, message: string) => () => Response.json({ error: { message } }, { status })

    test.each<[string, () => Response, number]>([
      ['a refused prompt', () => Response.json(shapes.tooLong.body, { status: shapes.tooLong.status }), 4096],
      ['a refused limit', refused(400, 'max_tokens=8190 is more than the server takes'), 4096],
      ['a call for which the server is too busy', refused(429, 'slow down'), 8192],
      ['a wrong key', refused(401, 'who is it?'), 8192],
    ])(
      `${name}: capabilities() ask again for the context length only if it may be another: %s`,
      async (_, refusal, told) => {
        const { now, engine } = restarting(refusal)
        expect(await engine.capabilities?.()).toMatchObject({ contextLength: 8192 })
        now.length = 4096
        expect(await engine.capabilities?.()).toMatchObject({ contextLength: 8192 })
        await errorOf(readTokens(engine.generate(PROMPT, { maxTokens: 5 })))
        expect(await engine.capabilities?.()).toMatchObject({ contextLength: told })
      },
    )

    test.each<[string, (engine: TokenEngine) => Promise<unknown>]>([
      ['a call', (engine) => readTokens(engine.generate(PROMPT, { maxTokens: 5 }))],
      ['a question about its health', (engine) => engine.health()],
    ])(`${name}: capabilities() ask again for the context length after %s that found no server`, async (_, ask) => {
      const { now, engine } = restarting()
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 8192 })
      now.isDown = true
      expect(await errorOf(ask(engine))).toMatchObject({ isUnavailable: true })
      Object.assign(now, { length: 4096, isDown: false })
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 4096 })
    })

    test(`${name}: capabilities() leave out a context length that the server does not tell`, async () => {
      const { engine } = counting(() => Response.json(shapes.context.unknown))
      expect(await engine.capabilities?.()).not.toHaveProperty('contextLength')
    })

    test(`${name}: capabilities() fail if the server does not answer, without its secrets, and are asked for again`, async () => {
      const answers = [Response.json({ error: { message: 'no hunter22' } }, { status: 503 })]
      const fetch = async () => answers.pop() ?? Response.json(shapes.context.of(4096))
      const engine = create({ url: 'http://server.invalid', fetch, apiKey: 'hunter22' })
      const error = await errorOf(engine.capabilities?.() ?? Promise.resolve())
      expect(error).toMatchObject({ code: 'server_error', message: 'no [hidden]', status: 503 })
      expect(await engine.capabilities?.()).toMatchObject({ contextLength: 4096 })
    })

    test(`${name}: a server that cannot be reached is unavailable, even if the reason has a secret`, async () => {
      const fetch = () => Promise.reject(new TypeError('no route for hunter22'))
      const engine = create({ url: 'http://server.invalid', fetch, apiKey: 'hunter22', delay: async () => {} })
      const error = await errorOf(engine.capabilities?.() ?? Promise.resolve())
      expect(error.message).toBe('cannot connect to server.invalid: no route for [hidden]')
      expect(error.isUnavailable).toBe(true)
    })

    test(`${name}: capabilities() reject at once when they are aborted`, async () => {
      const reason = new Error('enough')
      const fetch = async (_: unknown, { signal }: RequestInit = {}) => signal?.throwIfAborted() ?? Response.json({})
      const engine = create({ url: 'http://server.invalid', fetch })
      await expect(engine.capabilities?.({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })
  })

  describe(`${name}: traces`, () => {
    const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
    const headersFor = async (
      trace: { traceparent: string; tracestate?: string },
      own: Record<string, string> = {},
    ) => {
      let sent: Headers | undefined
      const fetch = fetchOf((_, { headers }) => {
        sent = new Headers(headers)
        return new Response(frames(HELLO).map(frame).join(''))
      })
      const engine = create({ url: 'http://server.invalid', fetch, headers: own })
      expect((await readTokens(engine.generate(PROMPT, { trace, maxTokens: 5 }))).tokens).toEqual(HELLO.tokens)
      return Object.fromEntries(sent ?? [])
    }

    test(`${name}: a call sends its trace context`, async () => {
      const headers = await headersFor({ traceparent: PARENT, tracestate: STATE })
      expect(headers).toMatchObject({ traceparent: PARENT, tracestate: STATE })
      expect(await headersFor({ traceparent: PARENT })).not.toHaveProperty('tracestate')
    })

    test(`${name}: headers of the options override the trace context`, async () => {
      const other = PARENT.replace('b7', 'c7')
      expect(await headersFor({ traceparent: PARENT }, { traceparent: other })).toMatchObject({ traceparent: other })
    })

    test(`${name}: nothing can be injected by a trace context, and none that is malformed fails a call`, async () => {
      const text = fc.oneof(
        fc.string({ unit: codePoint }).map((line) => line.replace(/[^\t -\u{10ffff}]/gu, '')),
        fc.constantFrom(PARENT, STATE, `ff${PARENT.slice(2)}`, ' ', ''),
        fc.tuple(fc.constantFrom(PARENT, STATE), fc.string()).map((parts) => parts.join('')),
      )
      await fc.assert(
        fc.asyncProperty(text, text, async (traceparent, tracestate) => {
          const headers = await headersFor({ traceparent, tracestate })
          expect(Object.keys(headers).filter((key) => !/^(traceparent|tracestate|content-type)$/.test(key))).toEqual([])
          if ('traceparent' in headers) expect(headers['traceparent']).toMatch(/^[0-9a-f]{2}(-[0-9a-f]{2,32}){3}$/)
          else expect(headers).not.toHaveProperty('tracestate')
          if ('tracestate' in headers) expect(headers['tracestate']).toMatch(/^[\t\x20-\x7e]{0,512}$/)
        }),
        { numRuns: RUNS },
      )
    })
  })

  test(`${name}: wrong options are refused at once`, () => {
    expect(() => create(undefined as never)).toThrow(/^(url|options): expected/)
    expect(() => create({ url: 'localhost:8000' })).toThrow('url: expected an http or https URL, got "localhost:8000"')
    for (const retries of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2' as never, null as never]) {
      expect(() => create({ url: 'http://a', retries })).toThrow('retries: expected a whole number of at least 0')
    }
    for (const url of ['ftp://a', 'http://', 'http:a', '//a', '', 1 as never, new URL('http://a') as never]) {
      expect(() => create({ url })).toThrow('url: expected an http or https URL, got')
    }
    for (const maxTokens of [0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => create({ url: 'http://a' }).generate(PROMPT, { maxTokens })).toThrow('maxTokens: expected')
    }
    expect(() => create({ url: 'http://a', fetch: 1 as never })).toThrow('fetch')
  })
}

/** Ways in which a fetch or a server repeats secrets. */
const BETRAYALS: readonly ((words: string) => Response | Promise<Response>)[] = [
  (words) => Promise.reject(new TypeError(`request to ${words} failed`)),
  (words) => Promise.reject(new TypeError('fetch failed', { cause: new Error(words) })),
  (words) => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED', request: { words } } })),
  (words) => Promise.reject(words),
  (words) => Response.json({ error: { message: `wrong key: ${words}` } }, { status: 401 }),
  (words) => Response.json({ detail: [{ input: words }] }, { status: 422 }),
  (words) => new Response(`${'x'.repeat(1995)}${words}`, { status: 500 }),
  (words) => new Response(words, { status: 404 }),
  (words) => Response.json({ error: { message: words } }, { status: 503 }),
  (words) => new Response(frame({ error: { message: words, code: 500 } })),
  (words) => new Response(`error: ${JSON.stringify({ message: words })}\n\n`),
  (words) => new Response(`${'x'.repeat(70)}${words}`.replaceAll('\n', ' ')),
  (words) => new Response(frame(`{${words}`)),
  (words) => new Response(frame({ choices: words, tokens: words, output_ids: words, stop: false })),
  (words) => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error(words)) })
    return new Response(body)
  },
]
