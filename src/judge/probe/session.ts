import { type Fields, isFields } from '../../shared/fields.js'
import type { Profile } from '../conformance/index.js'
import { asFields, asList, type StreamEvent } from '../conformance/stream-event.js'
import { CHAT } from './chat/chat-server.js'
import { createApiServer } from './conversation/api-server.js'
import { curlOf, type SentRequest } from './curl.js'
import { type Endpoint, PATHS, type Posted } from './endpoint.js'
import { connectionLeftOpen, incompleteAnswer, unsuccessfulResponse } from './faults.js'
import { type Fault, type Finding, findingOf, framePreview } from './finding.js'
import { judgeResponse, objectIn, readRefusal } from './judge-answer.js'
import { judgeEvents } from './judge-events.js'
import { JudgedReplies } from './judged-replies.js'
import { MESSAGES } from './messages/messages-server.js'
import { readMessagesRefusal } from './messages/refusal.js'
import type { OnRefusal } from './on-refusal.js'
import { ownBody, ownText } from './own-request.js'
import { createHttpStreamReader, type HttpStreamReader } from './read-stream.js'
import { SameAnswers } from './same-answers.js'
import type { Answer, Server, Stored } from './scenario.js'
import { type Limits, type ReadDecision, type Reply, send } from './send.js'

/** Options for {@link createSession}. */
export interface SessionOptions {
  readonly endpoint: Endpoint
  readonly model: string
  readonly profile: Profile
  readonly headers: Headers
  readonly fetch: typeof globalThis.fetch
  readonly limits: Limits
  readonly now: () => number
}

/** The run of one scenario: its server and its findings. */
export interface ScenarioRun {
  readonly server: Server
  readonly findings: Finding[]
  readonly notes: string[]
  readonly requests: number
  readonly output: Output
}

/** The tokens of streamed answers, and the time from their first events to their last. */
export interface Output {
  readonly tokens: number
  readonly milliseconds: number
}

/** Sends the requests of all scenarios to one server. */
export interface Session {
  /** Begins the run of a scenario. */
  begin(): ScenarioRun
  /** Whether the last request got no answer. */
  readonly isGone: boolean
}

/** Thrown if there is no Responses server at the URL. */
export class CannotReach extends Error {
  override readonly name = 'CannotReach'
}

/** Thrown if the server does not answer twice in a row, because further requests would show nothing new. */
export class ServerGone extends Error {}

/** Thrown if the server limits the rate, which is not a fault. */
export class RateLimited extends Error {}

/** Thrown if the server does not offer the API of a scenario, which is not a fault. */
export class NotOffered extends Error {}

/** The statuses for a good request that mean: no such endpoint, a key is needed, or the server is not ready. */
const NO_ENDPOINT: readonly number[] = [301, 302, 307, 308, 401, 403, 404, 405, 429, 501, 503]

type OtherApi = Exclude<Posted, 'responses'>

/** The message for an API that is not offered, and the reader of its errors. */
const OTHERS: Readonly<Record<OtherApi, { name: string; read: typeof readRefusal }>> = {
  chat: { name: 'Chat Completions', read: readRefusal },
  messages: { name: 'The Messages API', read: readMessagesRefusal },
  count: { name: 'Counting tokens', read: readMessagesRefusal },
}

/** The token limit of each request: enough for some reasoning, but it ends every answer. */
const MAX_TOKENS = 2048

/** The time of a shorter answer says nothing. */
const MIN_TIMED_TOKENS = 16

/** Streams with fewer events may come in one piece, which proves nothing. */
const MIN_STREAMED_EVENTS = 20

export function createSession({ endpoint, model, profile, headers, fetch, limits, now }: SessionOptions): Session {
  /** Whether a good request has been answered. */
  let isKnown = false
  let isDead = false
  const answers = new SameAnswers()
  const { responses } = endpoint.posts
  /** As its SDKs send them. */
  const ofMessages = new Headers(headers)
  if (!ofMessages.has('anthropic-version')) ofMessages.set('anthropic-version', '2023-06-01')
  /** The last request. */
  let lastRequest: (SentRequest & { readonly own: string }) | undefined
  /** The items of the server's answers. */
  const received = new WeakSet<object>()

  /** @param own - the request without what the server wrote. Default: of the body */
  async function exchange(
    method: 'GET' | 'POST',
    url: string,
    body?: string,
    hear?: (text: string) => ReadDecision,
    own = `POST ${pathOf(url)} ${ownText(body ?? '', model)}`,
  ): Promise<Reply> {
    const wasDead = isDead
    const { messages, count } = endpoint.posts
    const posted = Object.values(endpoint.posts).find((one) => one.url === url)
    const shownUrl = posted?.shown ?? responses.shown + afterResponses(url)
    const sentHeaders = posted === messages || posted === count ? ofMessages : headers
    lastRequest = { method, url: shownUrl, headers: sentHeaders, body, own }
    const request = { method, url, headers: sentHeaders, ...(body === undefined ? {} : { body }) }
    const reply = await send(fetch, request, limits, hear)
    isDead = reply.status === 0
    if (isDead && wasDead) throw new ServerGone()
    if (isDead && !isKnown && reply.end === 'broken')
      throw new CannotReach(`cannot reach ${responses.shown}: ${reply.reason}`)
    return reply
  }

  /** The path of what is posted to a URL, without that of the server. */
  function pathOf(url: string): string {
    const names = Object.keys(PATHS) as Posted[]
    return PATHS[names.find((name) => endpoint.posts[name].url === url) ?? 'responses']
  }

  /** Throws if the first good request gets one of `NO_ENDPOINT`: then there is no Responses server to test. */
  function checkKnown({ status, contentType, text }: Reply): void {
    if (status === 200) isKnown = true
    if (isKnown && status === 429)
      throw new RateLimited(`the server limits the rate: 429: ${readRefusal(contentType, text).message}`)
    if (isKnown || !NO_ENDPOINT.includes(status)) return
    const hint = status === 401 || status === 403 ? " (--header 'Authorization: Bearer KEY'?)" : ''
    throw new CannotReach(`${responses.shown} answers ${status}${hint}: ${readRefusal(contentType, text).message}`)
  }

  /** Why the server does not offer an API besides Responses: then it is not asked again. */
  const absences = new Map<OtherApi, string>()

  /** The other APIs are optional: a server that has answered otherwise need not offer them. */
  function checkOffered(api: OtherApi, { status, contentType, text }: Reply): void {
    if (status === 200) isKnown = true
    const { name, read } = OTHERS[api]
    const { message } = read(contentType, text)
    if (status === 429) throw new RateLimited(`the server limits the rate: 429: ${message}`)
    if (![404, 405, 501].includes(status)) return
    if (!isKnown) throw new CannotReach(`${endpoint.posts[api].shown} answers ${status}: ${message}`)
    const absence = `${name} is not offered: ${status}: ${message}`
    absences.set(api, absence)
    throw new NotOffered(absence)
  }

  return {
    get isGone() {
      return isDead
    },
    begin() {
      const findings: Finding[] = []
      const notes: string[] = []
      let requests = 0
      let output: Output = { tokens: 0, milliseconds: 0 }

      const add = (finding: Finding, events: readonly StreamEvent[] = []): void => {
        const event = finding.position === undefined ? undefined : events[finding.position]
        findings.push({
          ...finding,
          cause: answers.causeOf(finding.rule),
          ...(lastRequest === undefined ? {} : { curl: curlOf(lastRequest), ask: lastRequest.own }),
          ...(event === undefined ? {} : { frame: framePreview(event) }),
        })
      }
      const report = (request: string, fault: Fault): void => add(findingOf(request, fault))
      const note = (text: string): void => {
        if (!notes.includes(text)) notes.push(text)
      }
      /** Sends a request for a response. */
      const create = (body: Fields, isStream: boolean, hear?: (text: string) => ReadDecision): Promise<Reply> => {
        requests++
        const whole = { model, max_output_tokens: MAX_TOKENS, store: false, ...body, stream: isStream }
        const own = `POST /responses ${ownBody(whole, received)}`
        return exchange('POST', responses.url, JSON.stringify(whole), hear, own)
      }

      const replies = new JudgedReplies({ limits, report, add, note })

      /** Judges the status. Returns the answer to give up with, or undefined to continue reading. */
      function refusedAnswer(request: string, reply: Reply, ask: OnRefusal): Answer | undefined {
        checkKnown(reply)
        const none = replies.refused(request, reply, ask)
        if (none === undefined) return undefined
        return none.declined === undefined ? NOTHING : { ...NOTHING, refusal: none.declined }
      }

      function storedOf(request: string, reply: Reply): Stored | undefined {
        const none = replies.refused(request, reply, { isOptional: true })
        if (none !== undefined) return none.declined === undefined ? undefined : { refusal: none.declined }
        const response = replies.whole(request, reply)
        return response === undefined ? undefined : { response }
      }

      async function streamed(
        request: string,
        body: Fields,
        ask: OnRefusal,
        reader: HttpStreamReader,
      ): Promise<Answer> {
        let begun: number | undefined
        const reply = await create(body, true, (text) => {
          begun ??= now()
          return reader.push(text)
        })
        const took = begun === undefined ? 0 : now() - begun
        const stopped = refusedAnswer(request, reply, ask)
        if (stopped !== undefined) return stopped
        const { events } = reader
        const isWhole = replies.stream(request, reply, reader, (isWhole) =>
          judgeEvents(request, events, profile, isWhole),
        )
        if (isWhole === undefined) return NOTHING
        if (events.length >= MIN_STREAMED_EVENTS && reader.pieces === 1)
          note('the stream came in one piece: does the server stream?')
        const answer = answerOf(request, events, report)
        const { output_tokens: tokens } = asFields(answer.response['usage'])
        if (answer.isGood && isWhole && took > 0 && typeof tokens === 'number' && tokens >= MIN_TIMED_TOKENS) {
          output = { tokens: output.tokens + tokens, milliseconds: output.milliseconds + took }
        }
        for (const item of answer.items) received.add(item)
        answers.add(body, answer.items)
        return answer
      }

      const exchangeBy =
        (api: OtherApi) =>
        async (body: string, hear?: (text: string) => ReadDecision): Promise<Reply> => {
          const absence = absences.get(api)
          if (absence !== undefined) throw new NotOffered(absence)
          requests++
          const reply = await exchange('POST', endpoint.posts[api].url, body, hear)
          checkOffered(api, reply)
          return reply
        }
      const shared = { model, limits, answers, add, note }
      const chat = createApiServer({ ...shared, exchange: exchangeBy('chat') }, CHAT)
      const messages = createApiServer({ ...shared, exchange: exchangeBy('messages') }, MESSAGES)
      const count = exchangeBy('count')
      const server: Server = {
        model,
        chat,
        messages: { ...messages, count: (request, body) => messages.json(request, body, count) },
        report,
        note,
        stream: (request, body, ask = {}) => streamed(request, body, ask, createHttpStreamReader()),
        leave: (request, body, isEnough) => streamed(request, body, {}, createHttpStreamReader(isEnough)),
        async answer(request, body, ask = {}) {
          const reply = await create(body, false)
          const stopped = refusedAnswer(request, reply, ask)
          if (stopped !== undefined) return stopped
          const response = replies.whole(request, reply)
          if (response === undefined) return NOTHING
          for (const finding of judgeResponse(request, response)) add(finding)
          const items = itemsOf(response)
          for (const item of items) received.add(item)
          answers.add(body, items)
          if (!isEnded(response)) report(request, unsuccessfulResponse(response))
          return { isGood: isEnded(response), events: [], response, items }
        },
        async post(request, body) {
          requests++
          return replies.any(request, await exchange('POST', responses.url, body))
        },
        async begin(request, body) {
          return storedOf(request, await create(body, false))
        },
        async stored(request, id, action) {
          requests++
          const method = action === undefined ? 'GET' : 'POST'
          const own = `${method} /responses/ID${action === undefined ? '' : `/${action}`}`
          return storedOf(request, await exchange(method, endpoint.response(id, '', action), undefined, undefined, own))
        },
        async resume(request, id, after) {
          requests++
          const reader = createHttpStreamReader()
          const url = endpoint.response(id, `stream=true&starting_after=${after}`)
          const own = 'GET /responses/ID?stream=true&starting_after=N'
          const reply = await exchange('GET', url, undefined, (text) => reader.push(text), own)
          const { status, contentType, text, end } = reply
          if (status === 0 || (status >= 500 && status !== 501)) {
            const got = `${status}: ${readRefusal(contentType, text).message}`
            report(
              request,
              status === 0
                ? incompleteAnswer(reply, 0, limits)
                : { rule: 'answers', expected: 'the rest of the stream, or a status from 400 to 499', got },
            )
            return undefined
          }
          if (status !== 200) return { refusal: `${status}: ${readRefusal(contentType, text).message}` }
          if (objectIn(text) !== undefined) return { refusal: 'it answers with JSON that is not streamed' }
          if (end === 'whole') reader.end()
          for (const fault of reader.faults) report(request, fault)
          if (end !== 'whole')
            report(
              request,
              end === 'open' ? connectionLeftOpen() : incompleteAnswer(reply, reader.events.length, limits),
            )
          return { events: reader.events }
        },
      }
      return {
        server,
        findings,
        notes,
        get requests() {
          return requests
        },
        get output() {
          return output
        },
      }
    },
  }
}

/** Returns the part of a server's URL after that of its responses. */
function afterResponses(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname.replace(/^.*\/responses/, '') + search
}

const NOTHING: Answer = { isGood: false, events: [], response: {}, items: [] }

/** The answer of a stream: its response and items. */
function answerOf(request: string, events: readonly StreamEvent[], report: Server['report']): Answer {
  const terminal = events.find(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))
  const response = asFields(terminal?.['response'])
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => asFields(item))
  const items = done.length > 0 ? done : itemsOf(response)
  const isFailed = terminal?.type === 'response.failed'
  if (isFailed) report(request, unsuccessfulResponse(response))
  return { isGood: terminal !== undefined && !isFailed, events, response, items }
}

function itemsOf(response: Fields): Fields[] {
  return asList(response['output']).filter(isFields)
}

function isEnded({ status }: Fields): boolean {
  return status === 'completed' || status === 'incomplete'
}
