import { type ResponsesServer, type ServeOptions, serveResponses } from '../../endpoint/server/node.js'
import { EngineError } from '../../engines/contract/index.js'
import { loadTokenTable } from '../../index.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { steadySeconds } from '../../shared/system/steady-seconds.js'
import { complaint, errorCode, type Io, messageOf, UsageError } from '../io.js'
import { plain } from '../terminal-text.js'
import { aboutPage } from './about-page.js'
import { openAudit } from './audit-file.js'
import { banner } from './banner.js'
import { checkHealth, checkTools, partsOf } from './check-at-start.js'
import { createLog } from './create-log.js'
import type { Engine, EngineNeeds, EngineSettings, OpenedEngine } from './engines/engine.js'
import { ENGINES } from './engines/index.js'
import { openFolders } from './file-search/open-folders.js'
import { openKeyring } from './keyring.js'
import { readMcpConfig } from './mcp-config.js'
import { distinct, type NamedServer, openMcpTools } from './mcp-servers.js'
import { labelsOf, offeredOf } from './offered-tools.js'
import { openPython } from './open-python.js'
import { openRecorder } from './open-recorder.js'
import { type OpenedStore, openStore } from './open-store.js'
import { reloadKeys } from './reload-keys.js'
import { KEY_VARIABLES } from './secrets.js'
import { serveOptions } from './server-options.js'
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
  const opened = settings.store === undefined ? undefined : await openStore(settings.store, settings, io)
  const store = opened && worker ? { ...opened, store: worker.watches(opened.store) } : opened
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
    const labels = labelsOf(servers, hosted)
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
