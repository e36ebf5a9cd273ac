import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeSse } from '../../../src/core/sse/encode.js'
import { loadTokenTable, Translator } from '../../../src/index.js'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import { answerChat } from './chat.js'
import { answerMessages, countMessages } from './messages.js'
import { type Habit, inputTokensOf, type Json, sample } from './model.js'
import { Refused } from './refused.js'

export { Refused } from './refused.js'

const tokenTable = await loadTokenTable()

/** What was asked, as it came. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The body; empty if it is not a JSON object. */
  readonly body: Json
}

/** What a server does wrong in Chat Completions. */
export interface ChatFaults {
  /** The chunks of a stream. */
  readonly chunks?: (chunks: Json[], body: Json) => readonly unknown[]
  readonly frames?: (frames: string[]) => readonly string[]
  /** An answer that is not streamed. */
  readonly whole?: (completion: Json, body: Json) => unknown
}

/** What a server does wrong in the Messages API. */
export interface MessagesFaults {
  /** The events of a stream. */
  readonly events?: (events: Json[]) => readonly Json[]
  readonly frames?: (frames: string[]) => readonly string[]
  /** An answer that is not streamed. */
  readonly whole?: (message: Json) => unknown
  /** The body of an error. */
  readonly error?: (message: string) => unknown
  /** An answer of count_tokens; `none`: it does not count. */
  readonly count?: 'none' | ((counted: Json) => Json)
}

/** The faults of a server. Each function receives the good server's output. */
export interface Faults {
  /** Takes a reply over. Returns whether it did. */
  readonly reply?: (asked: Asked, response: ServerResponse) => boolean
  /** The events of a stream. */
  readonly events?: (events: WireEvent[], body: Json) => readonly WireEvent[]
  /** The frames of a stream. */
  readonly frames?: (frames: string[], body: Json) => readonly string[]
  /** A response that is not streamed. */
  readonly whole?: (response: Json, body: Json) => unknown
  /** The events of a stream that is resumed. */
  readonly resumed?: (events: WireEvent[]) => readonly WireEvent[]
  /** A stored response that is read or cancelled. */
  readonly stored?: (response: Json, isCancelled: boolean) => Json
  /** The fields that the server reads of a request. */
  readonly read?: (body: Json) => Json
  /** A stream's end: left open, or cut off. */
  readonly end?: (response: ServerResponse, body: Json) => void
  readonly contentType?: string
  /** What it does wrong in Chat Completions; `none`: it does not offer that. */
  readonly chat?: 'none' | ChatFaults
  /** What it does wrong in the Messages API; `none`: it does not offer that. */
  readonly messages?: 'none' | MessagesFaults
  /** An error of the server's, as it is sent. */
  readonly refuse?: (response: ServerResponse, error: Refused) => void
  /** A client went away in the middle. */
  readonly left?: (kill: () => void) => void
}

export interface TestServer {
  readonly url: string
  readonly asked: readonly Asked[]
  /** Requests whose client went away before the end. */
  readonly left: number
  close(): Promise<void>
}

interface Stored {
  readonly conversation: readonly Json[]
  readonly events: readonly WireEvent[]
  /** Of one in the background. */
  status?: 'in_progress' | 'cancelled'
}

/**
 * A Responses server on the loopback interface that is made of the translator and a canned model, and does all that the
 * probe asks for: tools, limits, formats, histories, errors, stored and resumed responses.
 */
export async function startServer(faults: Faults = {}, habits: readonly Habit[] = []): Promise<TestServer> {
  const asked: Asked[] = []
  const stored = new Map<string, Stored>()
  let left = 0

  const server = createServer((request, response) => {
    void handle(request, response)
  })
  const kill = (): void => {
    server.close()
    server.closeAllConnections()
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const one = await askedBy(request)
    asked.push(one)
    response.on('close', () => {
      if (response.writableFinished) return
      left++
      faults.left?.(kill)
    })
    if (faults.reply?.(one, response)) return
    try {
      if (one.method === 'GET') await get(one, response)
      else await create(one, response)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (faults.refuse !== undefined) return faults.refuse(response, error)
      const { status, message, param, code } = error
      if (one.path.startsWith('/v1/messages')) {
        const { messages = {} } = faults
        const body = { type: 'error', error: { type: 'invalid_request_error', message } }
        return sendJson(response, status, messages === 'none' ? body : (messages.error?.(message) ?? body))
      }
      sendJson(response, status, { error: { message, type: 'invalid_request_error', param, code } })
    }
  }

  async function get({ path }: Asked, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    if (pathname === '/v1/models') return sendJson(response, 200, { object: 'list', data: [{ id: 'canned-model' }] })
    const found = stored.get(pathname.replace('/v1/responses/', ''))
    if (found === undefined) throw new Refused(404, 'no such response')
    if (!searchParams.has('stream')) return sendStored(found, false, response)
    const after = Number(searchParams.get('starting_after') ?? -1)
    const rest = structuredClone(found.events.filter(({ sequence_number }) => sequence_number > after)) as WireEvent[]
    await stream(
      (faults.resumed?.(rest) ?? rest).map((event) => encodeSse(event)),
      {},
      response,
    )
  }

  /** Answers with a response of the background as it is now. */
  function sendStored(found: Stored, isCancelled: boolean, reply: ServerResponse): void {
    const response = {
      ...responseOf(found.events.at(-1)),
      background: true,
      output: [],
      status: found.status ?? 'completed',
    }
    sendJson(reply, 200, faults.stored?.(response, isCancelled) ?? response)
  }

  function cancel(path: string, reply: ServerResponse): void {
    const found = stored.get(path.replace(/^\/v1\/responses\/|\/cancel$/g, ''))
    if (found === undefined) throw new Refused(404, 'no such response')
    found.status = 'cancelled'
    sendStored(found, true, reply)
  }

  async function create(one: Asked, reply: ServerResponse): Promise<void> {
    if (one.path.endsWith('/cancel')) return cancel(one.path, reply)
    const body = faults.read?.(one.body) ?? one.body
    if (one.path === '/v1/chat/completions') return completeChat(one, reply)
    if (one.path === '/v1/messages') return answerMessage(one, reply)
    if (one.path === '/v1/messages/count_tokens') return countMessage(one, reply)
    if (one.path !== '/v1/responses') throw new Refused(404, `no such path: ${one.path}`)
    check(one)
    const previous = body['previous_response_id']
    const before = typeof previous === 'string' ? stored.get(previous) : undefined
    if (typeof previous === 'string' && before === undefined) {
      throw new Refused(404, `Previous response with id '${previous}' not found.`, 'previous_response_id')
    }
    const { input } = body
    const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input as Json[])
    const conversation = [...(before?.conversation ?? []), ...items]
    const events = respond(conversation, body, habits)
    const response = responseOf(events.at(-1))
    const made = response['output'] as Json[]
    const changed = faults.events?.(structuredClone(events), body) ?? events
    if (body['store'] !== false) {
      stored.set(String(response['id']), { conversation: [...conversation, ...made], events: changed })
    }
    const kept = stored.get(String(response['id']))
    if (kept !== undefined && body['background'] === true && body['stream'] !== true) {
      kept.status = 'in_progress'
      return sendStored(kept, false, reply)
    }
    if (body['stream'] === true) {
      const frames = changed.map((event) => encodeSse(event))
      await stream(faults.frames?.(frames, body) ?? frames, body, reply)
    } else {
      const whole = structuredClone(response)
      sendJson(reply, 200, faults.whole?.(whole, body) ?? whole)
    }
  }

  async function completeChat(one: Asked, reply: ServerResponse): Promise<void> {
    if (faults.chat === 'none') throw new Refused(404, 'no such path')
    const { whole, chunks } = answerChat(one.text, one.body, (conversation, request) =>
      respond(conversation, request, habits),
    )
    const { chat = {} } = faults
    if (one.body['stream'] !== true) {
      sendJson(reply, 200, chat.whole?.(whole, one.body) ?? whole)
      return
    }
    const sent = chat.chunks?.(chunks, one.body) ?? chunks
    const frames = [...sent.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`)
    await stream(chat.frames?.(frames) ?? frames, one.body, reply)
  }

  async function answerMessage(one: Asked, reply: ServerResponse): Promise<void> {
    const { messages = {} } = faults
    if (messages === 'none') throw new Refused(404, 'no such path')
    const { whole, events } = answerMessages(one.text, one.body, (conversation, request) =>
      respond(conversation, request, habits),
    )
    if (one.body['stream'] !== true) {
      sendJson(reply, 200, messages.whole?.(whole) ?? whole)
      return
    }
    const sent = messages.events?.(events) ?? events
    const frames = sent.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`)
    await stream(messages.frames?.(frames) ?? frames, one.body, reply)
  }

  function countMessage(one: Asked, reply: ServerResponse): void {
    const { messages = {} } = faults
    if (messages === 'none' || messages.count === 'none') throw new Refused(404, 'no such path')
    const counted = countMessages(one.text, one.body)
    sendJson(reply, 200, messages.count?.(counted) ?? counted)
  }

  async function stream(frames: readonly string[], body: Json, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': faults.contentType ?? 'text/event-stream; charset=utf-8' })
    for (const frame of frames) {
      if (response.destroyed) return
      response.write(frame)
      // A tick of its own for each, so that a client can leave in between.
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (faults.end === undefined) response.end()
    else faults.end(response, body)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    get left() {
      return left
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const responseOf = (event: WireEvent | undefined): Json => (event?.['response'] ?? {}) as Json

/** The translator's events for the model's tokens. */
function respond(conversation: readonly Json[], request: Json, habits: readonly Habit[]): WireEvent[] {
  const ids = sample(conversation, request, habits)
  const limit = request['max_output_tokens']
  const cut = typeof limit === 'number' ? ids.slice(0, limit) : ids
  const inputTokens = inputTokensOf(conversation)
  const translator = new Translator({ request, tokenTable, usage: { inputTokens, cachedTokens: 0 } })
  const events = [
    ...translator.start(),
    ...cut.flatMap((id) => translator.push(id)),
    ...translator.end(cut.length < ids.length ? 'max_output_tokens' : 'stop'),
  ]
  return JSON.parse(JSON.stringify(events)) as WireEvent[]
}

function check({ text, body }: Asked): void {
  try {
    JSON.parse(text)
  } catch {
    throw new Refused(400, 'The body is no JSON.')
  }
  const { input, tools, max_output_tokens: limit } = body
  if (input === undefined)
    throw new Refused(400, "Missing required parameter: 'input'.", 'input', 'missing_required_parameter')
  const isInput =
    typeof input === 'string' ||
    (Array.isArray(input) && input.every((item: Json) => typeof (item['type'] ?? item['role']) === 'string'))
  if (!isInput) throw new Refused(400, "Invalid type for 'input'.", 'input', 'invalid_type')
  if (tools !== undefined && !Array.isArray(tools)) throw new Refused(400, "Invalid type for 'tools'.", 'tools')
  if (limit !== undefined && typeof limit !== 'number') throw new Refused(400, "Invalid type for 'max_output_tokens'.")
}

async function askedBy(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, text, body: bodyOf(text) }
}

function bodyOf(text: string): Json {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
