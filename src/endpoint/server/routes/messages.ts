import type { Context, Hono } from 'hono'
import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import { createSseEncoder, type SseEvent } from '../../../core/sse/index.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import { createMessageEncoder, type MessageEncoder, type MessagesRequest, toMessage } from '../../../dialects/index.js'
import { isToolUse } from '../../../dialects/messages/answer.js'
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

const PING: SseEvent = { type: 'ping' }

/** Adds `POST /messages` and `POST /messages/count_tokens`, for Claude Code and other clients of the Messages API. */
export function messagesRoutes(app: Hono<Env>, server: ServerContext): void {
  const { service, options } = server
  const { tools: hosted = [] } = options
  const labels = new Set(hosted.flatMap(({ serverLabels = [] }) => serverLabels))
  /** Whether the server may exist: a tool without labels may answer for any server. */
  const mayKnow = (label: string): boolean => labels.has(label) || hosted.some(({ serverLabels }) => !serverLabels)

  app.post('/messages', async (context) => {
    const owner = context.get('owner')
    const messages = await read(context)
    let stopSequence: string | undefined
    const onStopString = (string: string): void => {
      stopSequence = string
    }
    const { request } = messages
    const { maxSearches } = messages.answer
    let input: HostUsage = {}
    const onInput = (usage: HostUsage): void => {
      input = usage
    }
    const most = maxSearches !== undefined && { maxSearches }
    const caller = merged(messagesCaller(context), { onStopString, onInput, getsHiddenCalls: true, ...most })
    const live = await withMessagesErrors(messages, () => service.create(resolveModel(request), caller))
    const { model } = request
    const answer = {
      ...messages.answer,
      ...(typeof model === 'string' && { model }),
      stopSequence: () => stopSequence,
      input: () => input,
      sealCall: service.callSealer(owner),
    }
    return answerResponse(context, live, server, {
      events(events) {
        const frames = messageFrames(createMessageEncoder(answer))
        return answerEvents(context, events, server, {
          encode(sent) {
            const event = sent as ResponseStreamEvent
            const ended = endedResponse(event)
            if (ended !== undefined) note(ended, owner)
            return frames.of(event)
          },
          done: false,
          // A comment does not count for a client that waits for its next event.
          keepAlive: frames.ping,
        })
      },
      whole(response) {
        note(response, owner)
        return toMessage(response, answer)
      },
    })
  })

  app.post('/messages/count_tokens', async (context) => {
    const messages = await read(context)
    const count = (): ReturnType<typeof service.inputTokens> =>
      service.inputTokens(resolveModel(messages.request), messagesCaller(context))
    const { input_tokens } = await withMessagesErrors(messages, count)
    return context.json({ input_tokens })
  })

  /** Reads a request together with the content that its client keeps for the server, or never received. */
  async function read(context: Context<Env>): Promise<MessagesRequest> {
    const owner = context.get('owner')
    const body = await server.readJson(context)
    const calls = await service.openCalls(sealsIn(body), owner, context.req.raw.signal)
    const reading = messagesRequestInSlices(body, {
      ...server.unknownOptions,
      opened: (sealed) => calls.get(sealed),
      // Looked up by the ids of calls in this API.
      before: (id) => server.hostedTurns.before(id, owner),
    })
    return await withPauses(reading, server.options.pause ?? nextTurn)
  }

  /** Records what the blocks of an answer do not show, for clients that drop thinking. */
  function note({ tools, output }: Pick<KeptResponse, 'tools' | 'output'>, owner: string): void {
    const isShown = shownCalls(tools)
    const hidden = output.filter((item) => !isShown(item))
    const theirs = hidden.map((item) => (isToolUse(item) ? { ...item, call_id: toolUseId(item.call_id) } : item))
    server.hostedTurns.note(theirs, owner)
  }

  /** Resolves the alias of the model. @throws RequestError if the request names an unknown server */
  function resolveModel(request: MessagesRequest['request']): MessagesRequest['request'] {
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
