import { CHAT_CLIENTS } from '../../conformance/chat/clients/names.js'
import { chatCompletionSchema } from '../../conformance/chat/completion-schema.js'
import { problemsOf } from '../../conformance/schemas/parse-event.js'
import { asFields, asList, asString, type StreamEvent } from '../../conformance/stream-event.js'
import type { Fields } from '../../fields.js'
import type { Ask } from '../ask.js'
import { type Fault, type Finding, findingOf, preview } from '../finding.js'
import { judgeChunks } from '../judge-events.js'
import { JudgedReplies } from '../judged-replies.js'
import { createHttpStreamReader } from '../read-stream.js'
import type { SameAnswers } from '../same-answers.js'
import type { Limits, ReadDecision, Reply } from '../send.js'
import { type ChatMessage, messageOfChunks, messageOfCompletion } from './message.js'

/** An answer of Chat Completions, after it was judged. */
export interface ChatReply extends ChatMessage {
  /** Whether there is an answer to continue with; if not, a finding or `refusal` explains why. */
  readonly isGood: boolean
  /** The server's message, if it refused an optional feature. */
  readonly declined: string | undefined
  /** The chunks of a stream; empty for an answer that was not streamed. */
  readonly chunks: readonly Fields[]
  /** The answer that was not streamed; empty for a stream. */
  readonly completion: Fields
}

/** The Chat Completions of a server, for a scenario. It judges every answer before it returns it. */
export interface ChatServer {
  /** Requests a stream, and judges it. */
  stream(request: string, body: Fields, ask?: Ask): Promise<ChatReply>
  /** Requests an answer without streaming, and judges it. */
  answer(request: string, body: Fields, ask?: Ask): Promise<ChatReply>
  /** Sends a body unchanged, and judges only whether an answer comes. Resolves to undefined if none does. */
  post(request: string, body: string): Promise<Reply | undefined>
}

/** The part of a session that it needs: one request at a time, and a sink for findings. */
export interface ChatSession {
  readonly model: string
  readonly limits: Limits
  readonly answers: SameAnswers
  /** Sends a request to Chat Completions. Throws if the server does not offer it. */
  exchange(body: string, hear?: (text: string) => ReadDecision): Promise<Reply>
  add(finding: Finding, events?: readonly StreamEvent[]): void
  note(text: string): void
}

/** The limit of each request: enough for some reasoning, but it ends every answer. */
const MAX_TOKENS = 2048

export function createChatServer({ model, limits, answers, exchange, add, note }: ChatSession): ChatServer {
  // Of the clients that the probe knows, these two speak Chat Completions.
  const report = (request: string, fault: Fault): void => {
    const breaks = (fault.breaks ?? []).filter((client) => (CHAT_CLIENTS as readonly string[]).includes(client))
    add(findingOf(request, { ...fault, breaks }))
  }
  const bodyOf = (body: Fields): string => JSON.stringify({ model, max_tokens: MAX_TOKENS, ...body })

  const replies = new JudgedReplies({ limits, report, add, note })

  function good(body: Fields, said: ChatMessage, rest: Pick<ChatReply, 'chunks' | 'completion'>): ChatReply {
    answers.addText(body['messages'], [said.text, ...said.calls.map((call) => call.arguments)].join('\n'))
    return { ...said, ...rest, isGood: said.finish !== '', declined: undefined }
  }

  return {
    async stream(request, body, ask = {}) {
      const reader = createHttpStreamReader(undefined, 'chat')
      const reply = await exchange(bodyOf({ ...body, stream: true }), (text) => reader.push(text))
      const none = replies.refused(request, reply, ask)
      if (none !== undefined) return { ...NOTHING, ...none }
      const { events } = reader
      const isWhole = replies.stream(request, reply, reader, (isWhole) => judgeChunks(request, events, isWhole))
      if (isWhole === undefined) return NOTHING
      const failure = events.find((chunk) => chunk['choices'] === undefined && chunk['error'] !== undefined)
      if (failure !== undefined) report(request, failed(asString(asFields(failure['error'])['message'])))
      else if (isWhole && !reader.isDone) {
        const expected = 'data: [DONE] at the end'
        report(request, { rule: 'done-is-sent', severity: 'warning', expected, got: 'the end of the stream' })
      }
      return good(body, messageOfChunks(events), { chunks: events, completion: {} })
    },
    async answer(request, body, ask = {}) {
      const reply = await exchange(bodyOf({ ...body, stream: false }))
      const none = replies.refused(request, reply, ask)
      if (none !== undefined) return { ...NOTHING, ...none }
      const completion = replies.whole(request, reply)
      if (completion === undefined) return NOTHING
      const [first, ...others] = problemsOf(completion, chatCompletionSchema)
      if (first !== undefined) {
        const { path, expected, got } = first
        const finding = findingOf(request, { rule: 'completion-shape', expected: `${path}: ${expected}`, got })
        add({ ...finding, more: others.length })
      }
      if (asList(completion['choices']).length === 0) return NOTHING
      return good(body, messageOfCompletion(completion), { chunks: [], completion })
    },
    async post(request, body) {
      return replies.any(request, await exchange(body))
    },
  }
}

const failed = (message: string): Fault => ({
  rule: 'succeeds',
  expected: 'an answer with a finish_reason',
  got: `an error: ${preview(message)}`,
  breaks: CHAT_CLIENTS,
})

const NOTHING: ChatReply = {
  isGood: false,
  declined: undefined,
  chunks: [],
  completion: {},
  text: '',
  refusal: '',
  reasoning: '',
  reasoningFields: [],
  calls: [],
  finish: '',
  usage: undefined,
}
