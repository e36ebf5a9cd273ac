import type { Context, Hono } from 'hono'
import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import type { CodeInterpreterTool } from '../../../core/responses/items.js'
import { createSseEncoder, type SseEvent } from '../../../core/sse/index.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import {
  createMessageEncoder,
  type MessageAnswerOptions,
  type MessageEncoder,
  type MessagesRequest,
  toMessage,
} from '../../../dialects/index.js'
import { isToolUse } from '../../../dialects/messages/answer.js'
import { unknownContainer } from '../../../dialects/messages/container.js'
import { messagesRequestInSlices } from '../../../dialects/messages/request.js'
import { shownCalls } from '../../../dialects/messages/server-tools.js'
import { sealsIn } from '../../../dialects/messages/signature.js'
import { toolUseId } from '../../../dialects/messages/tool-input.js'
import { merged } from '../../../shared/merged.js'
import { RequestError } from '../../../shared/request-error.js'
import { withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import { endedResponse } from '../../respond/terminal.js'
import type { KeptResponse } from '../../stores/store.js'
import { answerEvents } from '../answer-events.js'
import { answerResponse } from '../answer-response.js'
import { modelOfAlias } from '../model-aliases.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'
import type { Caller } from '../service/caller.js'
import type { LiveResponse } from '../service/running/live-response.js'

const PING: SseEvent = { type: 'ping' }

/** Adds `POST /messages` and `POST /messages/count_tokens`, for Claude Code and other clients of the Messages API. */
export function messagesRoutes(app: Hono<Env>, server: ServerContext): void {
  const { service } = server
  const resolveModel = modelResolver(server)

  app.post('/messages', async (context) => {
    const messages = await readMessages(context, server)
    const { maxSearches } = messages.answer
    const { request } = messages
    const told = createToldFacts()
    const max = maxSearches !== undefined && { maxSearches }
    const caller = merged(messagesCaller(context), { ...told.caller, getsHiddenCalls: true, ...max })
    const containerExpiry = (id: string): string | undefined => expiryOf(id, context.get('owner'), server)
    checkContainer(request, containerExpiry)
    const live = await withMessagesErrors(messages, () => service.create(resolveModel(request), caller))
    const answer = { ...messages.answer, ...modelOf(request), ...told.answer, containerExpiry }
    return answerMessages(context, live, server, answer)
  })

  app.post('/messages/count_tokens', async (context) => {
    const messages = await readMessages(context, server)
    const count = (): ReturnType<typeof service.inputTokens> =>
      service.inputTokens(resolveModel(messages.request), messagesCaller(context))
    const { input_tokens } = await withMessagesErrors(messages, count)
    return context.json({ input_tokens })
  })
}

/** Reads a request together with the content that its client keeps for the server, or never received. */
async function readMessages(context: Context<Env>, server: ServerContext): Promise<MessagesRequest> {
  const owner = context.get('owner')
  const body = await server.readJson(context)
  const calls = await server.service.openCalls(sealsIn(body), owner, context.req.raw.signal)
  const reading = messagesRequestInSlices(body, {
    ...server.unknownOptions,
    opened: (sealed) => calls.get(sealed),
    // Looked up by the ids of calls in this API.
    before: (id) => server.hostedTurns.before(id, owner),
  })
  return await withPauses(reading, server.options.pause ?? nextTurn)
}

/** What a message shows of a response beside its events, which is known before the message begins or ends. */
function createToldFacts() {
  let stopSequence: string | undefined
  let input: HostUsage = {}
  const caller: Pick<Caller, 'onStopString' | 'onInput'> = {
    onStopString(string) {
      stopSequence = string
    },
    onInput(usage) {
      input = usage
    },
  }
  return { caller, answer: { stopSequence: () => stopSequence, input: () => input } }
}

/** Returns until when a tool keeps a container of this owner. */
function expiryOf(id: string, owner: string, { options: { tools = [] } }: ServerContext): string | undefined {
  for (const tool of tools) {
    const seconds = tool.containerExpiry?.(id, owner)
    if (seconds !== undefined) return new Date(seconds * 1000).toISOString()
  }
  return undefined
}

/** @throws RequestError if the request names a container that nobody keeps for this owner */
function checkContainer({ tools }: MessagesRequest['request'], expiry: (id: string) => string | undefined): void {
  for (const { type, container } of (tools ?? []) as readonly Partial<CodeInterpreterTool>[]) {
    if (type === 'code_interpreter' && typeof container === 'string' && expiry(container) === undefined)
      throw unknownContainer(container)
  }
}

function modelOf({ model }: MessagesRequest['request']): { readonly model?: string } {
  return typeof model === 'string' ? { model } : {}
}

function answerMessages(
  context: Context<Env>,
  live: LiveResponse,
  server: ServerContext,
  known: Omit<MessageAnswerOptions, 'sealCall'>,
): Promise<Response> {
  const owner = context.get('owner')
  const answer = { ...known, sealCall: server.service.callSealer(owner) }
  return answerResponse(context, live, server, {
    events(events) {
      const frames = messageFrames(createMessageEncoder(answer))
      return answerEvents(context, events, server, {
        encode(sent) {
          const event = sent as ResponseStreamEvent
          const ended = endedResponse(event)
          if (ended !== undefined) note(ended, owner, server)
          return frames.of(event)
        },
        done: false,
        // A comment does not count for a client that waits for its next event.
        keepAlive: frames.ping,
      })
    },
    whole(response) {
      note(response, owner, server)
      return toMessage(response, answer)
    },
  })
}

/** Records what the blocks of an answer do not show, for clients that drop thinking. */
function note({ tools, output }: Pick<KeptResponse, 'tools' | 'output'>, owner: string, server: ServerContext): void {
  const isShown = shownCalls(tools)
  const hidden = output.filter((item) => !isShown(item))
  const theirs = hidden.map((item) => (isToolUse(item) ? { ...item, call_id: toolUseId(item.call_id) } : item))
  server.hostedTurns.note(theirs, owner)
}

/** Returns a function that resolves the alias of the model. It throws a RequestError for an unknown server. */
function modelResolver({
  options,
  service,
}: ServerContext): (request: MessagesRequest['request']) => MessagesRequest['request'] {
  const { tools: hosted = [] } = options
  const labels = new Set(hosted.flatMap(({ serverLabels = [] }) => serverLabels))
  /** Whether the server may exist: a tool without labels may answer for any server. */
  const mayKnow = (label: string): boolean => labels.has(label) || hosted.some(({ serverLabels }) => !serverLabels)
  return (request) => {
    const tools = (request['tools'] ?? []) as readonly { readonly type: string; readonly server_label?: string }[]
    for (const [index, { type, server_label: label = '' }] of tools.entries()) {
      if (type === 'mcp' && !mayKnow(label)) throw unknownServer(`tools[${index}].server_label`, label)
    }
    const model = modelOfAlias(request['model'], service.models)
    return model === undefined ? request : { ...request, model }
  }
}

/** A conversation may have been with any server, so thinking that was signed elsewhere is no mistake. */
function messagesCaller(context: Context<Env>): Caller {
  return merged(callerOf(context), {
    foreignSeals: 'ignore',
    returnedArguments: 'objects',
    approvals: 'refuse',
  } as const)
}

/**
 * Refuses an unknown server: a client that names a server needs its tools, and addresses of the client's are never
 * contacted.
 */
function unknownServer(param: string, label: string): RequestError {
  const what = `unknown MCP server '${label.slice(0, 60)}': only servers that the operator configured are available.`
  return new RequestError(`Invalid '${param}': ${what}`, { param, code: 'invalid_value' })
}

/**
 * Frames a stream. Its message begins with the model's first words, when the engine's cached tokens are known; or in
 * the first silence before them, because clients ignore a ping before `message_start`.
 */
function messageFrames(encode: MessageEncoder): { of(event: ResponseStreamEvent): string; ping(): string } {
  const write = createSseEncoder()
  const waiting: ResponseStreamEvent[] = []
  let hasBegun = false
  const framesOf = (events: readonly ResponseStreamEvent[]): string => {
    const frames = events.flatMap((event) => encode(event)).map((event) => write(event as SseEvent))
    return frames.join('')
  }
  return {
    of(event) {
      hasBegun ||= event.type !== 'response.created' && event.type !== 'response.in_progress'
      waiting.push(event)
      return hasBegun ? framesOf(waiting.splice(0)) : ''
    },
    ping() {
      hasBegun = true
      return framesOf(waiting.splice(0)) + write(PING)
    },
  }
}

async function withMessagesErrors<Result>(messages: MessagesRequest, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof RequestError ? messages.refusal(error) : error
  }
}
