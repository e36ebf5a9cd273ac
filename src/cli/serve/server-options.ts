import { urlCitations } from '../../core/citations/url-citations.js'
import { explainDiagnostic } from '../../core/diagnostics/index.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { Entry } from '../../endpoint/journal/entry.js'
import type { Metric, OperatorOffer, ResponseService } from '../../endpoint/server/index.js'
import type { ServeOptions } from '../../endpoint/server/node.js'
import { ANONYMOUS } from '../../endpoint/server/service/caller.js'
import type { Diagnostic } from '../../index.js'
import { complaint, type Io } from '../io.js'
import type { AboutPage } from './about-page.js'
import type { AuditFile } from './audit-file.js'
import type { OpenedEngine } from './engines/engine.js'
import type { Keyring } from './keyring.js'
import { createLiveTimelines } from './live-timelines.js'
import type { RequestLog } from './log-entries.js'
import { PROMETHEUS_TYPE, prometheusText } from './metric-families.js'
import { createPageFiles } from './page-files.js'
import { createPrometheusMetrics } from './prometheus.js'
import type { Recorder } from './recorder.js'
import type { ServeSettings } from './settings.js'
import type { Worker } from './workers/worker.js'

/** The calls of MCP tools that need the user's approval, regardless of the request. */
const APPROVALS = {
  request: undefined,
  always: 'always',
  writes: { never: { read_only: true } },
  never: 'never',
} as const

export function serveOptions(
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
