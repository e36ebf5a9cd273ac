import { MESSAGES_CLIENTS } from '../../conformance/messages/clients/names.js'
import { messageEventSchema } from '../../conformance/messages/event-schema.js'
import { problemsOf } from '../../conformance/schemas/parse-event.js'
import { asFields, asString, type StreamEvent } from '../../conformance/stream-event.js'
import type { Fields } from '../../fields.js'
import type { Ask } from '../ask.js'
import { type Fault, type Finding, findingOf, preview } from '../finding.js'
import { judgeMessages } from '../judge-events.js'
import { JudgedReplies } from '../judged-replies.js'
import { createHttpStreamReader } from '../read-stream.js'
import type { SameAnswers } from '../same-answers.js'
import type { Limits, ReadDecision, Reply } from '../send.js'
import { messageOfAnswer, messageOfEvents, type PutTogether, textOf } from './message.js'
import { readMessagesRefusal } from './refusal.js'

/** An answer of the Messages API, after it was judged. */
export interface MessagesReply extends PutTogether {
  /** Whether there is an answer to go on with; if not, a finding or `declined` says why. */
  readonly isGood: boolean
  /** The server's message, if it refused an optional feature. */
  readonly declined: string | undefined
  /** The message as it began in a stream, or as a whole: the fields besides its content. */
  readonly message: Fields
}

/** The Messages API of a server, for a scenario. It judges every answer before it returns it. */
export interface MessagesServer {
  /** Requests a stream, and judges it. */
  stream(request: string, body: Fields, ask?: Ask): Promise<MessagesReply>
  /** Requests an answer without streaming, and judges it. */
  answer(request: string, body: Fields, ask?: Ask): Promise<MessagesReply>
  /** Sends a body unchanged, and judges only whether an answer comes. Resolves to undefined if none does. */
  post(request: string, body: string): Promise<Reply | undefined>
}

/** What a session gives: one request at a time, and where findings go. */
export interface MessagesSession {
  readonly model: string
  readonly limits: Limits
  readonly answers: SameAnswers
  /** Sends a request to the Messages API. Throws if the server does not offer it. */
  exchange(body: string, hear?: (text: string) => ReadDecision): Promise<Reply>
  add(finding: Finding, events?: readonly StreamEvent[]): void
  note(text: string): void
}

/** The limit of each request: enough for some reasoning, but it ends every answer. */
const MAX_TOKENS = 2048

export function createMessagesServer({ model, limits, answers, exchange, add, note }: MessagesSession): MessagesServer {
  // What breaks the openai SDK as a stream that cannot be read breaks that of Anthropic, which is made by the same generator.
  const report = (request: string, fault: Fault): void => {
    const breaks = MESSAGES_CLIENTS.filter((client) =>
      fault.breaks?.includes(client === 'anthropic' ? 'openai' : client),
    )
    add(findingOf(request, { ...fault, breaks }))
  }
  const bodyOf = (body: Fields): string => JSON.stringify({ model, max_tokens: MAX_TOKENS, ...body })

  const replies = new JudgedReplies({ limits, report, add, note, readRefusal: readMessagesRefusal })

  function good(body: Fields, said: PutTogether, message: Fields): MessagesReply {
    const inputs = said.content.map(({ input }) => (input === undefined ? '' : JSON.stringify(input)))
    answers.addText(body['messages'], [textOf(said), ...inputs].join('\n'))
    return { ...said, message, isGood: said.stopReason !== '', declined: undefined }
  }

  return {
    async stream(request, body, ask = {}) {
      const reader = createHttpStreamReader(undefined, 'messages')
      const reply = await exchange(bodyOf({ ...body, stream: true }), (text) => reader.push(text))
      const none = replies.refused(request, reply, ask)
      if (none !== undefined) return { ...NOTHING, ...none }
      const { events } = reader
      const isWhole = replies.stream(request, reply, reader, (isWhole) => judgeMessages(request, events, isWhole))
      if (isWhole === undefined) return NOTHING
      const failure = events.find(({ type }) => type === 'error')
      if (failure !== undefined) report(request, failed(asString(asFields(failure['error'])['message'])))
      const start = asFields(events.find(({ type }) => type === 'message_start')?.['message'])
      return good(body, messageOfEvents(events), start)
    },
    async answer(request, body, ask = {}) {
      const reply = await exchange(bodyOf({ ...body, stream: false }))
      const none = replies.refused(request, reply, ask)
      if (none !== undefined) return { ...NOTHING, ...none }
      const message = replies.whole(request, reply)
      if (message === undefined) return NOTHING
      const [first, ...others] = problemsOf({ type: 'message_start', message }, messageEventSchema)
      if (first !== undefined) {
        const { path, expected, got } = first
        add({
          ...findingOf(request, { rule: 'message-shape', expected: `${path}: ${expected}`, got }),
          more: others.length,
        })
      }
      return good(body, messageOfAnswer(message), message)
    },
    async post(request, body) {
      return replies.any(request, await exchange(body))
    },
  }
}

const failed = (message: string): Fault => ({
  rule: 'succeeds',
  expected: 'an answer with a stop_reason',
  got: `an error: ${preview(message)}`,
  breaks: ['openai', 'ai-sdk', 'langchain'],
})

const NOTHING: MessagesReply = {
  isGood: false,
  declined: undefined,
  message: {},
  content: [],
  stopReason: '',
  usage: {},
}
