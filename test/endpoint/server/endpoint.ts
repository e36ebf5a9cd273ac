import OpenAI from 'openai'
import { expect } from 'vitest'
import type { TokenTable } from '../../../src/core/tokens/token-table.js'
import { createResponsesApp, type ResponsesApp, type ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { loadTokenTable } from '../../../src/index.js'
import { checkEvents, readStreams } from '../../../src/judge/conformance/index.js'
import { type Script, type ScriptedEngine, scriptedEngine } from '../../../src/testing/index.js'
import { encodeHarmony, encodeText } from '../../support/tokens.js'

export const tokenTable: TokenTable = await loadTokenTable()

/** A client's answer: the status and the parsed body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is what it tests
  readonly body: any
}

export interface Endpoint extends ResponsesApp {
  /** The reports to the host. */
  readonly errors: unknown[]
  /** The official SDK, in this process. The key is the owner's name. */
  client(owner?: string): OpenAI
  /** A request with a JSON body, or without one. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The answer to a POST of a response. */
  create(body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The events of a stream without findings of the judge. */
  stream(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Event[]>
  /** A request as it is. */
  send(path: string, init?: RequestInit): Promise<Response>
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export type Event = { readonly type: string; readonly sequence_number: number; readonly response?: any }

/** A user's name is the key; without one it is `anonymous`. */
export const byName = (request: Request): string => request.headers.get('authorization')?.slice(7) ?? 'anonymous'

/** An endpoint in this process, in front of a script or an engine. */
export function endpoint<Given extends Script | TokenEngine>(
  given: Given,
  options: Partial<ResponsesAppOptions> = {},
): Endpoint & { readonly engine: Given extends TokenEngine ? Given : ScriptedEngine } {
  const isEngine = 'generate' in given
  const engine = isEngine ? (given as TokenEngine) : scriptedEngine(given as Script, { tokenTable })
  const errors: unknown[] = []
  const responses = createResponsesApp({
    engine,
    tokenTable,
    authorize: byName,
    keepAliveMs: 0,
    onError: (error) => void errors.push(error),
    ...options,
  })
  const send = async (path: string, init?: RequestInit): Promise<Response> =>
    await responses.fetch(new Request(`http://localhost${path}`, init))
  const ask: Endpoint['ask'] = async (method, path, body, headers = {}) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await send(`/v1${path}`, { method, headers: { ...JSON_TYPE, ...headers }, ...init })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    ...responses,
    engine: engine as never,
    errors,
    send,
    ask,
    create: (body, headers) => ask('POST', '/responses', { model: 'gpt-oss', ...body }, headers),
    async stream(path, body, headers = {}) {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify({ stream: true, ...body }) }
      const response = await send(`/v1${path}`, { headers: { ...JSON_TYPE, ...headers }, ...init })
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      return eventsIn(await response.text())
    },
    client: (owner = 'anonymous') =>
      new OpenAI({
        baseURL: 'http://localhost/v1',
        apiKey: owner,
        maxRetries: 0,
        fetch: async (url, init) => await responses.fetch(new Request(url as string, init)),
      }),
  }
}

export const JSON_TYPE = { 'content-type': 'application/json' } as const

/** The events of a body. A stream that begins in the middle is not judged, and nor is what the model wrote. */
export function eventsIn(text: string): Event[] {
  const events = readStreams(text).flat() as unknown as Event[]
  if (events[0]?.sequence_number === 0)
    expect(checkEvents(events as never).filter(({ fault }) => fault === 'server')).toEqual([])
  return events
}

/** An engine whose model says `aaa...` for ever, a token for each step that the test lets it take. */
export interface HeldEngine extends TokenEngine {
  /** Lets it sample that many more tokens. */
  step(count?: number): void
  /** How many tokens it has sampled. */
  readonly sampled: number
  /** Resolves when a call begins. */
  readonly asked: Promise<void>
  /** Resolves when a call was stopped. */
  readonly stopped: Promise<void>
}

const BEGINNING = encodeHarmony('<|channel|>final<|message|>')
const [LETTER = 0] = encodeText('a')

/** @param allowed - how many tokens it may sample before the first step */
export function heldEngine(allowed = 0): HeldEngine {
  let left = allowed
  let sampled = 0
  let wake = (): void => {}
  const asked = promised()
  const stopped = promised()
  return {
    step(count = 1) {
      left += count
      wake()
    },
    get sampled() {
      return sampled
    },
    asked: asked.promise,
    stopped: stopped.promise,
    generate(_prompt, { signal } = {}) {
      return tokenStream(async function* (given) {
        asked.resolve()
        given.addEventListener('abort', () => {
          stopped.resolve()
          wake()
        })
        for (let at = 0; ; at++) {
          while (left === 0 && !given.aborted) {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
          if (given.aborted) return undefined
          left -= 1
          sampled += 1
          yield BEGINNING[at] ?? LETTER
        }
      }, signal)
    },
    health: async () => {},
  }
}

function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Reads a stream until an event of this type has come, and leaves it open. */
export async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, type: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes(`event: ${type}\n`)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended before ${type}`)
    text += decoder.decode(value, { stream: true })
  }
  return text
}

/** Waits, turn by turn of the event loop, until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
