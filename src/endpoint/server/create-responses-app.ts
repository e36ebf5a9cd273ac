import { Hono, type MiddlewareHandler } from 'hono'
import { resolveDialect } from '../../dialects/named.js'
import { merged } from '../../shared/merged.js'
import { RequestError } from '../../shared/request-error.js'
import { steadySeconds } from '../../shared/system/steady-seconds.js'
import { later } from '../flow/next-turn.js'
import { type AdminProcess, type AdminProcesses, type CountingProcess, singleProcess } from './admin/admin.js'
import { openAdmin } from './admin/open-admin.js'
import { APP_OPTIONS } from './check-app-options.js'
import { corsHeaders } from './cors-headers.js'
import { createHostCheck } from './host-rules.js'
import { createHostedTurns } from './hosted-turns.js'
import { adminBy, type Identify, operatorBy, ownerBy } from './identify.js'
import type { OnMetric } from './observe/metric.js'
import { observeRoutes } from './observe/observe-routes.js'
import type { ResponsesAppOptions } from './options.js'
import { createJsonReader } from './read-json.js'
import { adminRoutes } from './routes/admin.js'
import { chatCompletionsRoute } from './routes/chat-completions.js'
import { conversationRoutes } from './routes/conversation.js'
import { conversationsRoutes } from './routes/conversations.js'
import { createResponseRoute } from './routes/create-response.js'
import { healthRoutes } from './routes/health.js'
import { keptResponseRoutes } from './routes/kept-response.js'
import { messagesRoutes } from './routes/messages.js'
import { modelRoutes } from './routes/models.js'
import { passedRoutes } from './routes/passed.js'
import { type Env, type ServerContext, sendError, speaksMessages, traceOf } from './server-context.js'
import { ANONYMOUS } from './service/caller.js'
import { checkServiceOptions } from './service/check-service-options.js'
import { createTurnstile, MAX_WAITING } from './service/limits/turnstile.js'
import { openService, type ResponseService } from './service/response-service.js'
import { webSocketRoute } from './web-socket/web-socket-route.js'

/** The endpoint: mount it in any server that speaks fetch, or serve it with `serveResponses`. */
export interface ResponsesApp {
  /** Answers a request of any runtime with the web's classes. */
  readonly fetch: Hono<Env>['fetch']
  /** The Hono app, to mount it in another: `app.route('/', responses.app)`. */
  readonly app: Hono<Env>
  /** The service behind the routes, for hosts with routes of their own. */
  readonly service: ResponseService
  /** The figures of this process for its operator. Absent without `authorizeOperator`. */
  readonly admin?: AdminProcess
  /**
   * Refuses new requests, waits for the running responses, and closes sockets: for SIGTERM.
   *
   * @param signal - aborts them when it aborts itself
   */
  drain(signal?: AbortSignal): Promise<void>
}

/** How many requests are begun in one turn of the event loop. */
const MAX_REQUESTS = 4

/**
 * Creates the OpenAI Responses API in front of a gpt-oss engine, as a Hono app.
 *
 * Safe by default: it answers only requests for loopback names, and no page of another site, unless `authorize` or
 * `hosts` allow more.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { createResponsesApp } from 'harmony-responses/server'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const { fetch } = createResponsesApp({
 *   engine: scriptedEngine(() => answer('Hi!')), // in its place, any engine
 *   tokenTable: await loadTokenTable(),
 * })
 * const body = JSON.stringify({ model: 'gpt-oss', input: 'Say hi.' })
 * const response = await fetch(new Request('http://localhost/v1/responses', { method: 'POST', body }))
 * console.log((await response.json()).status) // completed
 * ```
 */
export function createResponsesApp(options: ResponsesAppOptions): ResponsesApp {
  checkServiceOptions('createResponsesApp', options, APP_OPTIONS)
  return openApp(options)
}

/** Creates the app from checked options. */
export function openApp(given: ResponsesAppOptions): ResponsesApp {
  const { basePath = '/v1', pages = {}, operatorPages = {}, publicPages = {} } = given
  let opened: ResponseService | undefined
  const admin = given.authorizeOperator && openAdmin(given, () => opened)
  const options = admin === undefined ? given : merged(given, { onMetric: heardBy(admin, given.onMetric) })
  const server = serverContext(options)
  const { service } = server
  opened = service
  const app = new Hono<Env>()
  app.use(observeRoutes(service.observer, traceOf))
  answerErrors(app, service.report)
  // Before the host's pages, so that a pattern among them (`/*`) takes over none of these. A page at the very path does.
  const isOurs = (path: string): boolean => !Object.hasOwn(pages, path) && !Object.hasOwn(operatorPages, path)
  healthRoutes(app, server, isOurs)
  const guardBy = createGuards(server)
  const guard = guardBy(server.identify)
  const processes = admin && processesOf(options, admin)
  adminRoutes(app, { server, guard: guardBy(adminBy(options)), processes, isOurs })
  const operatorGuard = guardBy(operatorBy(options))
  // Before those of clients, so that no pattern among these opens one.
  for (const [path, page] of Object.entries(operatorPages)) app.get(path, operatorGuard, ({ req }) => page(req.raw))
  for (const [path, page] of Object.entries(pages)) app.get(path, guard, ({ req }) => page(req.raw))
  const publicGuard = guardBy(async () => ANONYMOUS)
  for (const [path, page] of Object.entries(publicPages)) app.get(path, publicGuard, ({ req }) => page(req.raw))

  const api = new Hono<Env>()
  api.use(guard)
  passedRoutes({ api, root: app, guard }, server)
  createResponseRoute(api, server)
  const sockets = webSocketRoute(api, server)
  conversationRoutes(api, server)
  keptResponseRoutes(api, server)
  conversationsRoutes(api, server)
  modelRoutes(api, server)
  chatCompletionsRoute(api, server)
  messagesRoutes(api, server)
  app.route(basePath, api)

  const drain = async (signal?: AbortSignal): Promise<void> => {
    await Promise.all([service.drain(signal), sockets.drain(signal)])
    admin?.stop()
  }
  return { fetch: app.fetch, app, service, ...(admin && { admin }), drain }
}

/** Returns an `onMetric` that the operator's figures hear first. */
function heardBy({ take }: CountingProcess, onMetric: ResponsesAppOptions['onMetric']): OnMetric {
  return (metric) => {
    take(metric)
    return onMetric?.(metric)
  }
}

function processesOf({ adminProcesses = singleProcess }: ResponsesAppOptions, admin: CountingProcess): AdminProcesses {
  return adminProcesses(admin)
}

function serverContext(options: ResponsesAppOptions): ServerContext {
  const { keepAliveMs = 15_000 } = options
  const service = openService(options)
  const readJson = createJsonReader(options.limits, options.request?.limits, options.pause)
  const hostedTurns = createHostedTurns({ clock: options.clock ?? steadySeconds })
  service.keepBytes(hostedTurns.memory)
  const dialect = resolveDialect(options.dialect)
  const { unknown } = options.request ?? {}
  const unknownOptions = { ...(unknown !== undefined && { unknown }), onDiagnostic: service.notice }
  const identify = ownerBy(options)
  return { service, readJson, options, dialect, keepAliveMs, hostedTurns, unknownOptions, identify }
}

function answerErrors(app: Hono<Env>, report: (error: unknown) => void): void {
  app.onError((error, context) => {
    // The client has left, which is no fault of the host.
    const { aborted, reason } = context.req.raw.signal
    return sendError(context, error, aborted && error === reason ? () => {} : report)
  })
  app.notFound((context) => {
    const { method, path } = context.req
    const hint = /^\/v1\/containers(?:\/|$)/.test(path)
      ? 'Containers cannot be created or read here: the code interpreter makes its own, and its outputs are in its calls.'
      : 'Please check the URL for typos.'
    const message = `Unknown request URL: ${method} ${path.slice(0, 200)}. ${hint}`
    return sendError(context, new RequestError(message, { status: 404, code: 'unknown_url' }), report)
  })
}

/** Returns the guard of the routes that a kind of callers may use: it checks host, origin and key. */
function createGuards({ options, service }: ServerContext): (identify: Identify) => MiddlewareHandler<Env> {
  const { authorize, origins = [] } = options
  const checkHost = createHostCheck(options, authorize !== undefined)
  const arrivals = createTurnstile(MAX_REQUESTS, later, MAX_WAITING)
  return (identify) => async (context, next) => {
    const turn = arrivals.pass(context.req.raw)
    if (turn !== undefined) await turn
    const id = context.get('requestId')
    const theirs = speaksMessages(context) ? { 'request-id': id } : {}
    const headers = { 'x-request-id': id, ...theirs, ...corsHeaders(context.req.raw.headers, origins) }
    context.set('headers', headers)
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    checkHost(context.req.raw)
    if (context.req.method === 'OPTIONS') return context.body(null, 204)
    const owner = await identify(context.req.raw)
    context.set('owner', owner)
    const observed = context.get('observed')
    if (observed !== undefined) observed.owner = owner
    const held = service.holdBytes(owner, 'body')
    context.set('held', held)
    try {
      return await next()
    } finally {
      // A running response holds the bytes now.
      held.end()
    }
  }
}
