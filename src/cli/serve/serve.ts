import { urlCitations } from '../../core/citations/url-citations.js'
import { explainDiagnostic } from '../../core/diagnostics/index.js'
import { type BuiltinTool, builtinNamed, builtinOf, HOSTED_BUILTINS } from '../../core/recipients/builtin-tools.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { Entry } from '../../endpoint/journal/entry.js'
import { isUnaddressed } from '../../endpoint/prompt/untaught-tools.js'
import type { Metric, OperatorOffer, ResponseService } from '../../endpoint/server/index.js'
import { type ResponsesServer, type ServeOptions, serveResponses } from '../../endpoint/server/node.js'
import { ANONYMOUS } from '../../endpoint/server/service/caller.js'
import type { McpTools } from '../../endpoint/tools/mcp/index.js'
import { EngineError } from '../../engines/contract/index.js'
import { type Diagnostic, loadTokenTable } from '../../index.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { steadySeconds } from '../../shared/system/steady-seconds.js'
import { complaint, errorCode, type Io, messageOf, readFileOrStdin, UsageError } from '../io.js'
import { plain } from '../terminal-text.js'
import { type AboutPage, aboutPage } from './about-page.js'
import { type AuditFile, openAudit } from './audit-file.js'
import { banner } from './banner.js'
import { createLog } from './create-log.js'
import type { Engine, EngineNeeds, EngineSettings, OpenedEngine } from './engines/engine.js'
import { ENGINES } from './engines/index.js'
import { openFolders } from './file-search/open-folders.js'
import type { HostedTool } from './hosted-tool.js'
import { type Keyring, openKeyring } from './keyring.js'
import { createLiveTimelines } from './live-timelines.js'
import type { RequestLog } from './log-entries.js'
import { readMcpConfig } from './mcp-config.js'
import { distinct, type NamedServer, openMcpTools } from './mcp-servers.js'
import { PROMETHEUS_TYPE, prometheusText } from './metric-families.js'
import { openPython } from './open-python.js'
import { openRecorder } from './open-recorder.js'
import { type OpenedStore, openStore } from './open-store.js'
import { createPageFiles } from './page-files.js'
import { createPrometheusMetrics } from './prometheus.js'
import type { Recorder } from './recorder.js'
import { reloadKeys } from './reload-keys.js'
import { KEY_VARIABLES } from './secrets.js'
import type { ServeSettings } from './settings.js'
import { type Activity, type LiveStatus, liveStatus } from './status-line.js'
import { openSearch } from './web-search/open-search.js'
import type { Worker } from './workers/worker.js'

/** The exit code of a process that was told to stop at once. */
const STOPPED = 130

/**
 * Serves until told to stop. Returns the exit code.
 *
 * @param worker - what joins this process with others; undefined if it serves alone
 */
export async function serve(settings: ServeSettings, given: Io, worker?: Worker): Promise<number> {
  const status = liveStatus(given, settings.log !== 'json', steadySeconds)
  const { io } = status
  const store = settings.store === undefined ? undefined : await openStore(settings.store, settings, io)
  try {
    return await serveWith(store, settings, status, worker)
  } finally {
    status.end()
    await store?.close()
  }
}

async function serveWith(
  store: OpenedStore | undefined,
  given: ServeSettings,
  status: LiveStatus,
  worker: Worker | undefined,
): Promise<number> {
  const { io } = status
  let settings = given
  const keyring = await openKeyring({ ...settings.keys, seal: settings.keys.seal ?? store?.seal }, io)
  const { seal } = keyring
  const log = createLog(settings, io)
  const servers = await mcpServersOf(settings, io)
  const opening = [
    await openFolders(settings.folders),
    await openSearch(settings.search, io),
    await openPython(settings),
  ]
  const hosted = opening.filter((tool) => tool !== undefined)
  const offered = await offeredOf(settings, servers, hosted, io)
  const audit = await openAudit(settings.audit, io)
  const tokenTable = await loadTokenTable()
  const recorder = await openRecorder(settings, tokenTable, io)
  const report = (error: unknown): void => reportTo(io, error)
  const mcp = await openMcpTools(
    servers,
    (error, label) => report(new Error(`MCP server ${label}: ${messageOf(error)}`, { cause: error })),
    (line, label) => io.complain(`${plain(label)}: ${plain(line)}\n`),
  )
  let opened: OpenedEngine | undefined
  const stopReloading = reloadKeys(keyring, log, io)
  try {
    const labels = new Set(servers.map(({ label }) => label))
    opened = await openEngine(settings.engine, settings, { labels, tokenTable, key: keyring.engineKey }, io)
    settings = namedAs(opened.model, given)
    const tools = [...(mcp ? [mcp] : []), ...hosted.map(({ tool }) => tool), ...(opened.tools ?? [])]
    let server: ResponsesServer | undefined
    const memory = () => server?.service.memory
    const options = serveOptions(
      settings,
      { opened, keyring, tokenTable, memory, audit, offered, recorder, log, worker },
      aboutPage(settings, opened, servers, hosted, io.version),
      report,
      io,
    )
    const parts = partsOf(mcp, servers)
    server = await listen({ ...options, tools, parts, ...(seal && { seal }), ...(store && { store: store.store }) })
    const stops = listenForStops(io)
    try {
      const about = aboutServer(
        settings,
        store,
        server,
        opened,
        hosted.flatMap(({ about }) => about),
        io.version,
      )
      // The log is all that a program reads.
      if (worker !== undefined) worker.listening(about)
      else if (log.listening !== undefined) log.listening(about)
      else await printBanner(about, server, io)
      status.begin(activityOf(server))
      // What one process has found out, the others need not say again.
      if (worker?.isFirst ?? true) {
        checkHealth(opened, io)
        checkTools(mcp, servers, report)
      }
      await stops.first
      return await stop(server, stops.second, io)
    } finally {
      stops.end()
    }
  } finally {
    stopReloading()
    await audit?.flush()
    await mcp?.close()
    for (const tool of hosted) tool.close?.()
    await opened?.close?.()
  }
}

function activityOf({ service }: ResponsesServer): () => Activity {
  return () => ({ ...service.load, sampled: service.observer?.sampled ?? 0 })
}

/** Names the model as its server does, unless it is gpt-oss. */
function namedAs(model: string | undefined, settings: ServeSettings): ServeSettings {
  if (model === undefined) return settings
  const [, ...aliases] = settings.models
  return { ...settings, models: [model, ...aliases.filter((alias) => alias !== model)] }
}

/** Returns the configured MCP servers. @throws UsageError */
async function mcpServersOf({ mcp, mcpConfig }: ServeSettings, io: Io): Promise<readonly NamedServer[]> {
  if (mcpConfig === undefined) return mcp
  return distinct([...mcp, ...(await readMcpConfig(mcpConfig, io))], '--mcp and --mcp-config')
}

/** Whether it is the name of a tool that a host could run, in the API or in gpt-oss. */
function isHostTool(name: string): boolean {
  const isTaught = (tool: BuiltinTool): boolean => builtinNamed(tool).namespace()?.name === name
  return HOSTED_BUILTINS.some((tool) => tool === builtinOf(name) || isTaught(tool)) || isUnaddressed(name)
}

/** The options by which `serve` runs a built-in tool. */
const RUN_BY: { readonly [tool: string]: string } = {
  file_search: '--file-search DIR',
  web_search: '--search NAME',
  code_interpreter: '--python auto',
}

/** Returns the tools that are offered to each response. @throws UsageError */
async function offeredOf(
  { offered, instructions: file, effort }: ServeSettings,
  servers: readonly NamedServer[],
  hosted: readonly HostedTool[],
  io: Io,
): Promise<OperatorOffer> {
  const isServer = (label: string): boolean => servers.some((server) => server.label === label)
  const declarationOf = (label: string): HostedTool['declaration'] | undefined =>
    isServer(label) ? undefined : hosted.map(({ declaration }) => declaration).find(({ type }) => type === label)
  const unknown = offered.find((label) => !isServer(label) && declarationOf(label) === undefined)
  if (unknown !== undefined && isHostTool(unknown)) {
    const option = RUN_BY[unknown]
    const unless = option === undefined ? '' : ` without ${option}`
    const ways = `--offer ${unknown}=COMMAND or --offer ${unknown}=URL`
    throw new UsageError(
      `--offer ${unknown}: serve does not run ${unknown} itself${unless}: name an MCP server that does, ${ways}`,
    )
  }
  if (unknown !== undefined) {
    const known = servers.map(({ label }) => label).join(', ') || 'none'
    throw new UsageError(
      `--offer ${unknown}: expected the label of a server of --mcp or --mcp-config, of which there are: ${known}`,
    )
  }
  const instructions = file === undefined ? '' : (await readFileOrStdin(file, io)).trim()
  return {
    tools: offered.map((label) => declarationOf(label) ?? { type: 'mcp', server_label: label }),
    ...(instructions !== '' && { instructions }),
    ...(effort !== undefined && { effort }),
  }
}

/** The calls of MCP tools that need the user's approval, regardless of the request. */
const APPROVALS = {
  request: undefined,
  always: 'always',
  writes: { never: { read_only: true } },
  never: 'never',
} as const

function serveOptions(
  settings: ServeSettings,
  {
    opened,
    keyring,
    tokenTable,
    memory,
    audit,
    offered,
    recorder,
    log,
    worker,
  }: {
    readonly opened: OpenedEngine
    readonly keyring: Keyring
    readonly tokenTable: TokenTable
    readonly memory: () => ResponseService['memory'] | undefined
    readonly audit: AuditFile | undefined
    readonly offered: OperatorOffer
    readonly recorder: Recorder | undefined
    readonly log: RequestLog
    readonly worker: Worker | undefined
  },
  about: AboutPage,
  onError: (error: unknown) => void,
  io: Io,
): ServeOptions {
  const { models, servesAnyName, reasoning, chatReasoning, chatCalls, policy, dialect, images } = settings
  const { limits, origin: origins, onDisconnect, unsupportedConstraints: onUnsupportedConstraint, pass } = settings
  const translation = { ...(reasoning && { reasoning }), policy, citations: urlCitations() }
  const { toldDate: date, engineRestarts } = settings
  const response = {
    ...translation,
    images,
    onUnsupportedConstraint,
    onDiagnostic: noticesTo(io),
    ...(date && { date }),
    ...(engineRestarts !== undefined && { engineRestarts }),
  }
  const approval = APPROVALS[settings.approval]
  const authorize = settings.noKey ? () => ANONYMOUS : keyring.authorize
  const metrics = createPrometheusMetrics(memory, opened.grammarBackend)
  worker?.measures(metrics.read)
  const { engine, server } = opened
  const timelines = settings.verbose
    ? createLiveTimelines({ ...translation, tokenTable }, io.screen, io.complain)
    : undefined
  return {
    ...{ tokenTable, models, onError, response, hostname: settings.host, port: settings.port },
    engine,
    onDisconnect: typeof onDisconnect === 'number' ? { graceMs: onDisconnect * 1000 } : onDisconnect,
    ...(server && pass.length > 0 && { passOn: { server, paths: pass } }),
    chat: { reasoning: chatReasoning, hostedCalls: chatCalls },
    otherModels: servesAnyName ? 'any' : 'refuse',
    onMetric(metric: Metric) {
      metrics.take(metric)
      log.take(metric)
      if (metric.type !== 'response_ended') return
      timelines?.end(metric.responseId)
      recorder?.end(metric.responseId)
    },
    ...(worker && { adminProcesses: worker.adminProcesses }),
    ...pagesOf(settings, keyring, {
      async metrics() {
        const families = worker === undefined ? metrics.read() : await worker.metricsOfAll()
        if (families === undefined) return new Response('the first process does not answer\n', { status: 503 })
        return new Response(prometheusText(families), { headers: { 'content-type': PROMETHEUS_TYPE } })
      },
      about: () => Response.json(about),
    }),
    ...(!settings.noPage && { publicPages: createPageFiles(io) }),
    dialect,
    done: dialect === 'open-responses',
    ...((timelines || recorder) && {
      onEntry(responseId: string, entry: Entry) {
        timelines?.take(responseId, entry)
        recorder?.take(responseId, entry)
      },
    }),
    offered,
    offeredCalls: settings.offeredCalls,
    ...(approval !== undefined && { approval }),
    ...(audit && { audit: audit.write, auditArguments: settings.auditArguments }),
    ...{ origins, limits: limits.app, request: { limits: limits.request, unknown: settings.unknown } },
    sharedPrefixCache: settings.sharePrefixCache,
    ...(authorize && { authorize }),
  }
}

/**
 * Returns the options of what needs a key. Whoever may send requests reads what the page is told. The operator's key opens
 * the metrics. Without one, whoever may send requests reads them, unless clients have keys of their own: they are not the
 * operator.
 */
function pagesOf(
  { keys, noPage }: ServeSettings,
  { authorizeOperator }: Keyring,
  { metrics, about }: { readonly metrics: () => Promise<Response>; readonly about: () => Response },
): Pick<ServeOptions, 'authorizeOperator' | 'operatorPages' | 'pages'> {
  const pages = noPage ? {} : { '/page/about.json': about }
  const ofOperator = { '/metrics': metrics }
  if (authorizeOperator !== undefined) return { authorizeOperator, operatorPages: ofOperator, pages }
  return keys.clients === undefined ? { pages: { ...pages, ...ofOperator } } : { operatorPages: ofOperator, pages }
}

/** The maximum number of reports about schemas that are remembered. */
const MAX_TOLD = 1_000

const TOLD_ONCE: readonly Diagnostic['code'][] = [
  'relaxed_schema',
  'unknown_mcp_server',
  'unknown_input',
  'ignored_parameter',
  'estimated_usage',
]

/**
 * Reports seals of other keys, because the user would only see that the model has forgotten its reasoning; and, each
 * once, relaxed schemas, missing MCP servers, and parameters and unknown parts of requests without effect, because
 * agents send the same each time.
 */
function noticesTo(io: Io): (diagnostic: Diagnostic) => void {
  const reported = new Set<string>()
  return (diagnostic) => {
    const { code, subject = '' } = diagnostic
    if (TOLD_ONCE.includes(code)) {
      if (reported.has(subject)) return
      if (reported.size >= MAX_TOLD) reported.clear()
      reported.add(subject)
    } else if (code !== 'unopened_seal') return
    io.complain(complaint(new Error(explainDiagnostic(diagnostic))))
  }
}

/** Starts listening. @throws UsageError if that is impossible */
async function listen(options: ServeOptions): Promise<ResponsesServer> {
  try {
    return await serveResponses(options)
  } catch (error) {
    const { hostname, port } = options
    const reason = { EADDRINUSE: `port ${port} is in use`, EACCES: `port ${port} is not allowed` }[
      `${errorCode(error)}`
    ]
    const isTold = reason !== undefined || ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(`${errorCode(error)}`)
    // For limits, the server knows the valid values.
    if (error instanceof HarmonyResponsesError) {
      throw new UsageError(`serve: ${error.message.replace(/^limits\./, '--limit ')}`, { cause: error })
    }
    if (!isTold) throw error
    throw new UsageError(`serve: ${reason ?? `this machine has no address ${hostname}`}`, { cause: error })
  }
}

function aboutServer(
  { models, pass: passed, keys, host, noPage }: ServeSettings,
  store: OpenedStore | undefined,
  { url, port }: ResponsesServer,
  { about }: OpenedEngine,
  tools: readonly string[],
  version: string,
): Parameters<typeof banner>[0] {
  // An address that stands for all interfaces cannot be visited.
  const isAll = host === '0.0.0.0' || host === '::'
  return {
    version,
    url: isAll ? `http://127.0.0.1:${port}` : url,
    engine: about,
    tools,
    models,
    passed,
    hasPage: !noPage,
    hasKey: keys.client !== undefined || keys.clients !== undefined,
    keyVariable: KEY_VARIABLES.client,
    isMetricsClosed: keys.clients !== undefined && keys.operator === undefined,
    operatorVariable: KEY_VARIABLES.operator,
    hasSealKeys: keys.seal !== undefined || store !== undefined,
    store: store?.shown,
    keyFile: store?.keyFile,
    sealKeysVariable: KEY_VARIABLES.seal,
  }
}

/** Stops the server if the reader of standard output is gone. */
async function printBanner(about: Parameters<typeof banner>[0], server: ResponsesServer, io: Io): Promise<void> {
  try {
    await io.print(banner(about, io.screen))
  } catch (error) {
    await server.close({ graceMs: 0 })
    throw error
  }
}

/** Warns if the engine does not answer yet. An engine behind HTTP may start later, so that is no error. */
function checkHealth({ engine, namesContext }: OpenedEngine, io: Io): void {
  const options = { signal: AbortSignal.timeout(5000), constraints: false }
  const check = async (): Promise<void> => {
    await engine.health(options)
    if (namesContext !== true || (await engine.capabilities?.(options))?.contextLength !== undefined) return
    const why = 'the engine names no context length (max_model_len): set it by --context-size'
    io.complain(complaint(new Error(`${why}, or requests without max_output_tokens fail`)))
  }
  check().catch((error: unknown) => {
    io.complain(complaint(new Error(`the engine does not answer yet: ${messageOf(error)}`)))
  })
}

/** How long a tool server may take before it is said that it does not answer. */
const TOOLS_MS = 10_000

/** Returns the MCP servers, for the operator to see whether they answer. */
function partsOf(mcp: McpTools | undefined, servers: readonly NamedServer[]): NonNullable<ServeOptions['parts']> {
  if (mcp === undefined) return []
  return servers.map(({ label }) => ({
    type: 'mcp' as const,
    name: label,
    async check(signal: AbortSignal) {
      const tools = [{ type: 'mcp' as const, server_label: label }]
      const [listing] = await mcp.listings({ tools }, { signal })
      if (listing?.tools === undefined) throw new Error(`MCP server ${label} does not answer`)
    },
  }))
}

/** Connects to the MCP servers, so that a wrong command or address is reported now and not at some request. */
function checkTools(
  mcp: McpTools | undefined,
  servers: readonly NamedServer[],
  report: (error: unknown) => void,
): void {
  const tools = servers.map(({ label }) => ({ type: 'mcp' as const, server_label: label }))
  mcp?.listings({ tools }, { signal: AbortSignal.timeout(TOOLS_MS) }).catch(report)
}

interface Stops {
  readonly first: Promise<void>
  readonly second: Promise<void>
  end(): void
}

function listenForStops(io: Io): Stops {
  const waiting: (() => void)[] = []
  const next = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  const [first, second] = [next(), next()]
  return { first, second, end: io.onStop(() => waiting.shift()?.()) }
}

async function stop(server: ResponsesServer, again: Promise<void>, io: Io): Promise<number> {
  const { running } = server.service.load
  if (running > 0) {
    io.complain(`waits for ${running === 1 ? '1 response' : `${running} responses`}; Ctrl-C again ends at once\n`)
  }
  const closed = server.close().then(() => 0)
  const code = await Promise.race([closed, again.then(() => STOPPED)])
  // Not awaited: work that ignores the abort must not delay the exit.
  if (code === STOPPED) server.close({ graceMs: 0 }).catch(() => {})
  return code
}

/** Prints one line, without characters that a terminal acts on. */
function reportTo(io: Io, error: unknown): void {
  // A client that leaves is not an error, and has its line in the log.
  if (error instanceof DOMException && error.name === 'AbortError') return
  const kind = error instanceof EngineError ? `the engine (${plain(error.code)}): ` : ''
  io.complain(complaint(new Error(`${kind}${messageOf(error)}`)))
}

/** Opens the engine of an option. @throws UsageError if it cannot be opened with these settings */
async function openEngine(
  name: keyof typeof ENGINES,
  settings: EngineSettings,
  needs: EngineNeeds,
  io: Io,
): Promise<OpenedEngine> {
  const engine: Engine = ENGINES[name]
  if ('opener' in engine) return (await engine.opener())(settings, needs, io)
  return (await import('./engines/open-server.js')).openServer(name, engine, settings, needs, io)
}
