import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkEvents, type Violation } from '../../src/conformance/index.js'
import { type Dialect, toDialect } from '../../src/dialects/index.js'
import { EngineError } from '../../src/engine/engine-error.js'
import {
  type ApprovedCall,
  collectResponse,
  loadTokenTable,
  type ResponseStreamEvent,
  type StreamEnd,
  type TokenChunk,
  type TokenSource,
  Translator,
  translate,
} from '../../src/index.js'
import { hostItem } from '../../src/items.js'
import { toSseResponse } from '../../src/sse/index.js'
import { encodeHarmony } from '../support/tokens.js'
import type { ClientProfile } from './play.js'
import {
  ENGINE_ERROR,
  HOST_ERROR,
  type Insertion,
  modelOf,
  type Scenario,
  type Script,
  scenarios,
  type WireTool,
} from './scenarios.js'

const tokenTable = await loadTokenTable()

/** A request that came, and the events that answered it. */
export interface Exchange {
  readonly body: RequestBody
  readonly events: ResponseStreamEvent[]
}

export interface RequestBody {
  readonly model: string
  readonly input: string | readonly InputItem[]
  readonly stream?: boolean
  readonly tools?: readonly WireTool[]
  readonly include?: readonly string[]
}

export interface InputItem {
  readonly type?: string
  readonly [field: string]: unknown
}

export interface TestServer {
  readonly baseURL: string
  readonly exchanges: readonly Exchange[]
  /** Resolves when a source hangs: everything that it has was taken. */
  readonly sourceHangs: Promise<void>
  /** Resolves when a source that hangs was closed. */
  readonly sourceClosed: Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  /** The wording of the events. Default: OpenAI's. */
  readonly dialect?: Dialect
  /** Ends streams with `[DONE]`. */
  readonly done?: boolean
  /** What it plays. Default: the scenarios of all clients. */
  readonly plays?: readonly Scenario[]
}

/** A gpt-oss server on the loopback interface, whose engine is a script. */
export async function startServer({
  dialect,
  done = false,
  plays = scenarios,
}: ServerOptions = {}): Promise<TestServer> {
  const exchanges: Exchange[] = []
  const hangs = signal()
  const closed = signal()

  const server = createServer((request, reply) => {
    handle(request).then(
      (answer) => send(answer, reply),
      (error: unknown) => send(Response.json({ error: { message: String(error) } }, { status: 400 }), reply),
    )
  })

  async function handle(request: IncomingMessage): Promise<Response> {
    if (request.method !== 'POST' || request.url !== '/v1/responses') return new Response(null, { status: 404 })
    const body = await bodyOf(request)
    const scenario = plays.find((one) => body.model.endsWith(modelOf(one)))
    if (scenario === undefined) throw new Error(`no scenario ${body.model}`)
    const script = scenario.turns[exchanges.length]
    if (script === undefined) throw new Error(`${scenario.name} has no turn ${exchanges.length}`)
    const exchange: Exchange = { body, events: [] }
    exchanges.push(exchange)
    const options = optionsOf(scenario, body, approvedCalls(body, exchanges))
    const events = record(
      script.tokens.some(isInsertion)
        ? pushed(script, options)
        : translate(play(script, hangs.resolve, closed.resolve), options),
      exchange.events,
    )
    if (!body.stream) return Response.json(await collectResponse(events))
    return toSseResponse(dialect === undefined ? events : toDialect(events, dialect), { done })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    exchanges,
    sourceHangs: hangs.resolved,
    sourceClosed: closed.resolved,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/**
 * What the judge has to say of everything that was sent: by OpenAI's rules, and of what breaks the client that reads
 * it. That a client likes no ending but one is no fault of the stream: there it only warns.
 */
export function violationsOf(exchanges: readonly Exchange[], profile: ClientProfile): Violation[] {
  return exchanges.flatMap(({ events }) => [
    ...checkEvents(events),
    ...checkEvents(events, { profile }).filter(({ severity }) => severity === 'error'),
  ])
}

/** A promise, and what resolves it. */
function signal(): { readonly resolved: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const resolved = new Promise<void>((done) => {
    resolve = done
  })
  return { resolved, resolve }
}

/** A host adds the tools that it runs itself, for clients that cannot declare them. */
function optionsOf(
  { options, tools, include }: Scenario,
  body: RequestBody,
  approved: readonly ApprovedCall[],
): Parameters<typeof translate>[1] {
  const declared = body.tools ?? []
  const added = tools.filter(({ type }) => !declared.some((tool) => tool.type === type))
  const request = { ...body, tools: [...declared, ...added], include: [...(body.include ?? []), ...include] }
  return { ...options, approvedCalls: [...(options.approvedCalls ?? []), ...approved], request: request as never }
}

/** The calls that the user approved in this request, from the items that asked for approval. */
function approvedCalls({ input }: RequestBody, exchanges: readonly Exchange[]): ApprovedCall[] {
  if (typeof input === 'string') return []
  const ids = input.filter(({ type, approve }) => type === 'mcp_approval_response' && approve === true)
  return ids.flatMap(({ approval_request_id: id }) =>
    exchanges
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.type === 'response.output_item.done' && event.item.id === id ? [event.item] : []))
      .flatMap((item) => (item.type === 'mcp_approval_request' ? [item] : []))
      .map(({ id: approvalRequestId, server_label: serverLabel, name, arguments: given }) => ({
        approvalRequestId,
        serverLabel,
        name,
        arguments: given,
      })),
  )
}

const isInsertion = (part: Script['tokens'][number]): part is Insertion => typeof part === 'object' && 'insert' in part

/** A part of a script as the engine gives it: text a token at a time. */
const chunksOf = (part: TokenChunk): readonly TokenChunk[] => (typeof part === 'string' ? encodeHarmony(part) : [part])

/** A host that has items of its own to put in pushes. */
async function* pushed(
  { tokens, end }: Script,
  options: Parameters<typeof translate>[1],
): AsyncGenerator<ResponseStreamEvent> {
  if (typeof end === 'string') throw new Error(`a host that pushes does not play an engine that ${end}`)
  const translator = new Translator({ ...options, tokenTable })
  yield* translator.start()
  for (const part of tokens) {
    if (isInsertion(part)) yield* translator.insert(hostItem(part.insert))
    else for (const chunk of chunksOf(part)) yield* translator.push(chunk)
  }
  if (end.usage !== undefined) translator.addUsage(end.usage)
  yield* translator.end(end.reason)
}

/** An engine: a token at a time. Closing it reaches it even while it is waited for, which a generator cannot do. */
function play(script: Script, onHangs: () => void, onClosed: () => void): TokenSource {
  const chunks = script.tokens.flatMap((part) => (isInsertion(part) ? [] : chunksOf(part)))
  let at = 0
  const source: AsyncIterableIterator<TokenChunk, StreamEnd | undefined> = {
    [Symbol.asyncIterator]: () => source,
    async next() {
      const chunk = chunks[at++]
      if (chunk !== undefined) return { done: false, value: chunk }
      if (script.end === 'throws') throw new EngineError('server_error', ENGINE_ERROR)
      if (script.end === 'breaks') throw new Error(HOST_ERROR)
      if (script.end === 'hangs') {
        onHangs()
        return new Promise(() => {})
      }
      return { done: true, value: script.end }
    },
    async return() {
      onClosed()
      return { done: true, value: undefined }
    },
  }
  return source
}

/** A generator would hear of its end only after the `next` under way, hence by hand. */
function record(
  events: AsyncGenerator<ResponseStreamEvent, unknown>,
  into: ResponseStreamEvent[],
): AsyncIterable<ResponseStreamEvent> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const step = await events.next()
        if (step.done) return { done: true, value: undefined }
        into.push(step.value)
        return step
      },
      async return() {
        await events.return(undefined)
        return { done: true, value: undefined }
      },
    }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

async function send(answer: Response, reply: ServerResponse): Promise<void> {
  reply.writeHead(answer.status, Object.fromEntries(answer.headers))
  const reader = answer.body?.getReader()
  // The client went away, and without this the engine would go on generating.
  reply.on('close', () => void reader?.cancel().catch(() => {}))
  for (let step = await reader?.read(); step !== undefined && !step.done; step = await reader?.read()) {
    reply.write(step.value)
  }
  reply.end()
}
