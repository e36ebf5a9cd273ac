import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createSseDecoder, toSseResponse } from '../../src/core/sse/index.js'
import { type Dialect, toDialect } from '../../src/dialects/index.js'
import { createResponsesApp, type ResponsesApp } from '../../src/endpoint/server/index.js'
import type { TokenEngine } from '../../src/engines/contract/engine.js'
import { EngineError } from '../../src/engines/contract/engine-error.js'
import { loadTokenTable, type ResponseStreamEvent } from '../../src/index.js'
import { checkEvents, type Violation } from '../../src/judge/conformance/index.js'
import type { ClientProfile } from './play.js'
import { modelOf, type Scenario, type Script, scenarios, seal, type WireTool } from './scenarios.js'
import { type ScriptedHost, type SourceHooks, scriptedHost } from './scripted-host.js'
import { translatedEvents } from './transcript.js'

const tokenTable = await loadTokenTable()

/** A request, and the events of its answer. */
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
  /** The dialect of the events. Default: OpenAI's. */
  readonly dialect?: Dialect
  /** Ends streams with `[DONE]`. */
  readonly done?: boolean
  /** The scenarios. Default: those of all clients. */
  readonly plays?: readonly Scenario[]
  /** What stands in front of the engine of a script. Default: nothing. */
  readonly inFront?: (engine: TokenEngine) => TokenEngine
}

type Env = { Bindings: { readonly outgoing: ServerResponse } }

/** The endpoint on the loopback interface, with an engine and tools that are a script. */
export async function startServer({
  dialect,
  done = false,
  plays = scenarios,
  inFront = (engine) => engine,
}: ServerOptions = {}): Promise<TestServer> {
  const exchanges: Exchange[] = []
  const hangs = signal()
  const closed = signal()
  const hooks: SourceHooks = { onHangs: hangs.resolve, onClosed: closed.resolve }
  const apps = new Map<Scenario, ResponsesApp>()
  let host: ScriptedHost | undefined

  /** The endpoint of a scenario: it keeps the responses that its client goes on from. */
  function appOf(scenario: Scenario): ResponsesApp {
    const known = apps.get(scenario)
    if (known !== undefined) return known
    const { mcpListings, approvedCalls: _, sealReasoning: __, ...response } = scenario.options
    const app = createResponsesApp({
      engine: () => host && inFront(host.engine),
      tools: [
        {
          answers: (call) => host?.tool.answers(call) === true,
          run: async (...given) => (await host?.tool.run(...given)) ?? {},
          ...(mcpListings && { listings: async () => mcpListings }),
        },
      ],
      tokenTable,
      // A source that fails does so once.
      response: { ...response, engineRestarts: 0, onOpen: (opened) => host?.onOpen(opened) },
      seal,
      done,
      ...(dialect && { dialect }),
      onError: (error) => {
        if (!(error instanceof EngineError)) console.error(error)
      },
    })
    apps.set(scenario, app)
    return app
  }

  const front = new Hono<Env>()
  front.post('/v1/responses', async (context) => {
    const body: RequestBody = await context.req.json()
    const scenario = plays.find((one) => body.model.endsWith(modelOf(one)))
    const script = scenario?.turns[exchanges.length]
    if (scenario === undefined || script === undefined) {
      return context.json({ error: { message: `no turn ${exchanges.length} of ${body.model}` } }, 400)
    }
    const exchange: Exchange = { body, events: [] }
    exchanges.push(exchange)
    const asked = withHostTools(scenario, body)
    if (scenario.isTranscript) return translatedAnswer(scenario, script, asked, exchange)
    host = scriptedHost(script, hooks)
    record(context.env.outgoing, exchange.events)
    const { url, headers, signal } = context.req.raw
    const request = new Request(url, { method: 'POST', headers, signal, body: JSON.stringify(asked) })
    return await appOf(scenario).fetch(request, context.env)
  })

  /** The answer of a host with its own loop, which streams any scenario. */
  function translatedAnswer(
    { options }: Scenario,
    script: Script,
    asked: RequestBody,
    { events: into }: Exchange,
  ): Response {
    const events = translatedEvents(script, { ...options, request: asked as never })
    async function* recorded(): AsyncGenerator<ResponseStreamEvent> {
      for await (const event of events) {
        into.push(event)
        yield event
      }
    }
    return toSseResponse(dialect === undefined ? recorded() : toDialect(recorded(), dialect), { done })
  }

  const server = await new Promise<Server>((resolve) => {
    const listening = serve({ fetch: front.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }, () =>
      resolve(listening as Server),
    )
  })
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
 * The judge's findings in all streams: by OpenAI's rules, and by the profile of the client that reads them. A client
 * that accepts only one ending does not make the stream wrong: that is only a warning.
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
function withHostTools({ tools, include }: Scenario, body: RequestBody): RequestBody {
  const declared = body.tools ?? []
  const added = tools.filter(({ type }) => !declared.some((tool) => tool.type === type))
  return { ...body, tools: [...declared, ...added], include: [...(body.include ?? []), ...include] }
}

/** Reads along what is written to a client. */
function record(outgoing: ServerResponse, into: ResponseStreamEvent[]): void {
  const decoder = createSseDecoder({ onEvent: (event) => event.type !== 'keepalive' && into.push(event) })
  const write = outgoing.write.bind(outgoing) as (...given: unknown[]) => boolean
  outgoing.write = (...given: unknown[]) => {
    decoder.push(given[0] as string)
    return write(...given)
  }
}
