import type { Fields } from '../../../shared/fields.js'
import type { EventProblem } from '../../conformance/schemas/parse-event.js'
import { asFields, asString, type StreamEvent } from '../../conformance/stream-event.js'
import { type AnyClient, EVERY_CLIENT, type Fault, type Finding, findingOf, preview } from '../finding.js'
import type { readRefusal } from '../judge-answer.js'
import type { Judgement } from '../judge-events.js'
import { JudgedReplies } from '../judged-replies.js'
import type { OnRefusal } from '../on-refusal.js'
import { createHttpStreamReader, type HttpStreamReader } from '../read-stream.js'
import type { Rule } from '../rules.js'
import type { SameAnswers } from '../same-answers.js'
import type { Limits, ReadDecision, Reply } from '../send.js'

/** A call of a tool in an answer. */
export interface AnswerCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** The content of an answer of any API, streamed or not. */
export interface AnswerContent {
  readonly text: string
  readonly calls: readonly AnswerCall[]
  /** The reason why it ended; empty if it has none. */
  readonly ending: string
  /** The limit of tokens ended it. */
  readonly isCut: boolean
  /** The model refused. */
  readonly isRefusal: boolean
  /** As the server counts them. */
  readonly outputTokens: unknown
}

/** An answer of an API besides Responses, after it was judged. */
export interface ApiReply {
  /** Whether there is an answer to continue with; if not, a finding or `declined` explains why. */
  readonly isGood: boolean
  /** The server's message, if it refused an optional feature. */
  readonly declined: string | undefined
}

/** An API of a server besides Responses, for a scenario. It judges every answer before it returns it. */
export interface ApiServer<Of> {
  /** Requests a stream, and judges it. */
  stream(request: string, body: Fields, ask?: OnRefusal): Promise<Of & ApiReply>
  /** Requests an answer without streaming, and judges it. */
  answer(request: string, body: Fields, ask?: OnRefusal): Promise<Of & ApiReply>
  /** Requests something else by `exchange`: any JSON. Resolves to undefined if a finding explains why none comes. */
  json(request: string, body: Fields, exchange: ApiSession['exchange']): Promise<Fields | undefined>
  /** Sends a body unchanged, and judges only whether an answer comes. Resolves to undefined if none does. */
  post(request: string, body: string): Promise<Reply | undefined>
}

/** The part of a session that it needs: one request at a time, and a sink for findings. */
export interface ApiSession {
  readonly model: string
  readonly limits: Limits
  readonly answers: SameAnswers
  /** Sends a request to the API. Throws if the server does not offer it. */
  exchange(body: string, hear?: (text: string) => ReadDecision): Promise<Reply>
  add(finding: Finding, events?: readonly StreamEvent[]): void
  note(text: string): void
}

/** How the answers of an API are judged and read. */
export interface ApiReader<Of> {
  readonly api: 'chat' | 'messages'
  /** Its clients. Anthropic's SDKs break as OpenAI's for the same language do: one generator makes all. */
  readonly clients: readonly AnyClient[]
  readonly readRefusal?: typeof readRefusal
  /** The content of no answer. */
  readonly nothing: Of
  judge(request: string, events: readonly StreamEvent[], isWhole: boolean): Judgement
  /** Whether an event is the error that ends a stream. */
  isError(event: Fields): boolean
  /** The faults of the end of a whole stream without an error. */
  endFaults?(reader: HttpStreamReader): readonly Fault[]
  ofStream(events: readonly StreamEvent[]): Of
  /** The rule for the fields of an answer that was not streamed, and the faults of them. */
  readonly shape: Rule
  problemsOf(answer: Fields): readonly EventProblem[]
  ofAnswer(answer: Fields): Of
  /** The name of the field with the reason why an answer ended. */
  readonly ending: string
}

/** The limit of each request: enough for some reasoning, but it ends every answer. */
const MAX_TOKENS = 2048

export function createApiServer<Of extends AnswerContent>(
  { model, limits, answers, exchange, add, note }: ApiSession,
  api: ApiReader<Of>,
): ApiServer<Of> {
  const report = (request: string, fault: Fault): void => {
    const breaks = api.clients.filter((client) =>
      // Cast: both companies name their clients in the same way.
      fault.breaks?.includes(client.replace(/^anthropic/, 'openai') as AnyClient),
    )
    add(findingOf(request, { ...fault, breaks }))
  }
  const { readRefusal } = api
  const replies = new JudgedReplies({
    limits,
    report,
    add,
    note,
    ...(readRefusal === undefined ? {} : { readRefusal }),
  })
  const nothing = { ...api.nothing, isGood: false, declined: undefined }

  /** Sends a request. Returns its reply, or the answer to give up with. */
  async function ask(
    request: string,
    body: Fields,
    how: OnRefusal,
    hear?: (text: string) => ReadDecision,
  ): Promise<{ readonly reply: Reply; readonly none?: Of & ApiReply }> {
    const reply = await exchange(JSON.stringify({ model, max_tokens: MAX_TOKENS, ...body }), hear)
    const none = replies.refused(request, reply, how)
    return none === undefined ? { reply } : { reply, none: { ...nothing, ...none } }
  }

  function good(body: Fields, answer: Of): Of & ApiReply {
    answers.addText(body['messages'], [answer.text, ...answer.calls.map((call) => call.id + call.arguments)].join('\n'))
    return { ...answer, isGood: answer.ending !== '', declined: undefined }
  }

  return {
    async stream(request, body, how = {}) {
      const reader = createHttpStreamReader(undefined, api.api)
      const { events } = reader
      const { reply, none } = await ask(request, { ...body, stream: true }, how, (text) => reader.push(text))
      if (none !== undefined) return none
      const isWhole = replies.stream(request, reply, reader, (isWhole) => api.judge(request, events, isWhole))
      if (isWhole === undefined) return nothing
      const error = events.find(api.isError)
      if (error !== undefined) report(request, failed(api.ending, asFields(error['error'])))
      else if (isWhole) for (const fault of api.endFaults?.(reader) ?? []) report(request, fault)
      return good(body, api.ofStream(events))
    },
    async answer(request, body, how = {}) {
      const { reply, none } = await ask(request, { ...body, stream: false }, how)
      if (none !== undefined) return none
      const answer = replies.whole(request, reply)
      if (answer === undefined) return nothing
      const [first, ...others] = api.problemsOf(answer)
      if (first !== undefined) {
        const { path, expected, got } = first
        add({ ...findingOf(request, { rule: api.shape, expected: `${path}: ${expected}`, got }), more: others.length })
      }
      return good(body, api.ofAnswer(answer))
    },
    async json(request, body, exchange) {
      const reply = await exchange(JSON.stringify({ model, ...body }))
      return replies.refused(request, reply, {}) === undefined ? replies.whole(request, reply) : undefined
    },
    async post(request, body) {
      return replies.any(request, await exchange(body))
    },
  }
}

const failed = (ending: string, { message }: Fields): Fault => ({
  rule: 'succeeds',
  expected: `an answer with a ${ending}`,
  got: `an error: ${preview(asString(message))}`,
  breaks: EVERY_CLIENT,
})
