import { type RecipientPolicy, resolvePolicy } from '../../../core/recipients/policy.js'
import { undatedType } from '../../../core/recipients/undated-type.js'
import { PASSED_PATHS } from '../../../engines/contract/engine-server.js'
import { check } from '../../../shared/errors.js'
import { checkOptions, type OptionCheck, type OptionTable, picked } from '../../../shared/options/check-options.js'
import {
  aBoolean,
  aboveZero,
  aFunction,
  aTokenTable,
  either,
  having,
  listOf,
  oneOf,
  optionsOf,
  that,
  wholeNumber,
} from '../../../shared/options/checks.js'
import { PARSE_REQUEST_OPTIONS } from '../../request/parse-request.js'
import { anApprovalPolicy, anOffer } from '../../respond/check-offered.js'
import { anEngine, RESPOND_OPTIONS, someTools } from '../../respond/check-respond-options.js'
import type { OperatorOffer } from '../../respond/index.js'
import { hostedBuiltins } from '../../respond/opening/hosted-builtins.js'
import type { ResponseStore } from '../../stores/store.js'
import type { Tool } from '../../tools/tool.js'
import type { ResponseSettings, ServiceLimits, ServiceOptions } from './options.js'
import type { PassOnOptions } from './pass-on-options.js'
import type { OnDisconnect } from './running/readers.js'

/** Node fires a longer timer at once. */
export const MAX_SECONDS = 2_147_483

const seconds = wholeNumber(1, MAX_SECONDS)

const { onDiagnostic: _, ...PARSED_AS } = PARSE_REQUEST_OPTIONS

export const SERVICE_LIMITS: OptionTable<ServiceLimits> = {
  concurrency: wholeNumber(1),
  concurrencyPerOwner: wholeNumber(1),
  queue: wholeNumber(0),
  turns: wholeNumber(1),
  responseSeconds: aboveZero,
  statusSeconds: wholeNumber(0, MAX_SECONDS),
  firstTokenSeconds: seconds,
  tokenSeconds: seconds,
  storeSeconds: seconds,
  leaseSeconds: seconds,
  healthSeconds: seconds,
  countedTokens: wholeNumber(1),
  knownTextBytes: wholeNumber(0),
  memoryBytes: wholeNumber(1),
  passedBytes: wholeNumber(1),
}

const RESPONSE_SETTINGS: OptionTable<ResponseSettings> = picked(RESPOND_OPTIONS, [
  'policy',
  'mcpApproval',
  'reasoning',
  'citations',
  'containerId',
  'calls',
  'usageByTurn',
  'errorEvent',
  'images',
  'date',
  'identity',
  'knowledgeCutoff',
  'onDiagnostic',
  'onProgress',
  'onUnsupportedConstraint',
  'onInvalidOutput',
  'engineRestarts',
  'delay',
  'onOpen',
])

const PASS_ON_OPTIONS: OptionTable<PassOnOptions> = {
  server: having(['post', 'models'], 'the server of an engine behind HTTP: engine.server'),
  paths: listOf(oneOf(...PASSED_PATHS), 'an array of paths'),
}

/** The methods of a store. The compiler requires a line for each. */
const STORE: Readonly<Record<Exclude<keyof ResponseStore, 'durability' | 'memory'>, true>> = {
  open: true,
  append: true,
  claim: true,
  expired: true,
  find: true,
  lineage: true,
  findItem: true,
  findKey: true,
  entries: true,
  delete: true,
  consumeApprovals: true,
}

const hasMethods = having(Object.keys(STORE), 'a store')
const aDurability = oneOf('none', 'process', 'power')

const aStore: OptionCheck = (value, path) => {
  hasMethods(value, path)
  aDurability((value as ResponseStore).durability, `${path}.durability`)
}

const isGrace = (value: unknown): boolean => Number.isFinite((value as Exclude<OnDisconnect, string> | null)?.graceMs)

export const SERVICE_OPTIONS: OptionTable<ServiceOptions> = {
  engine: either(aFunction, anEngine, 'a TokenEngine, or a function that gives one'),
  tokenTable: aTokenTable,
  models: that(
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
    "an array of names (otherModels: 'any' serves all others)",
  ),
  otherModels: oneOf('any', 'refuse'),
  passOn: optionsOf(PASS_ON_OPTIONS),
  tools: someTools,
  offered(value, path) {
    if (typeof value !== 'function') anOffer(value, path)
  },
  offeredCalls: oneOf('shown', 'hidden'),
  approval: anApprovalPolicy,
  store: aStore,
  seal: having(['forResponse', 'unseal', 'isForeign'], 'a seal, of createSeal'),
  limits: optionsOf(SERVICE_LIMITS),
  request: optionsOf(PARSED_AS),
  response: optionsOf(RESPONSE_SETTINGS),
  onDisconnect: that(
    (value) => value === 'stop' || value === 'finish' || isGrace(value),
    "'stop', 'finish' or { graceMs }",
  ),
  sharedPrefixCache: aBoolean,
  onEntry: aFunction,
  pause: aFunction,
  clock: aFunction,
  onError: aFunction,
  onMetric: aFunction,
  audit: aFunction,
  auditArguments: aBoolean,
  tracing: having(['start'], 'openTelemetry(api)'),
  now: aFunction,
}

const REQUIRED = ['engine', 'tokenTable'] as const

/** @throws HarmonyResponsesError `bad_option` */
export function checkServiceOptions<Options extends ServiceOptions>(
  where: string,
  options: unknown,
  table: OptionTable<Options>,
): void {
  checkOptions(where, options, table, REQUIRED)
  const { tools = [], offered, response = {} } = options as ServiceOptions
  checkLabels(tools)
  if (typeof offered === 'object') checkOffered(offered, tools, resolvePolicy(response.policy))
}

/**
 * Checks labels, since the first tool that answers a call runs it: another one with the same label would never be
 * called.
 */
function checkLabels(tools: readonly Tool[]): void {
  const known = new Set<string>()
  for (const [index, { serverLabels = [] }] of tools.entries()) {
    for (const label of serverLabels)
      check(!known.has(label), `tools[${index}]`, 'a label that no other tool has', label)
    for (const label of serverLabels) known.add(label)
  }
}

/** Rejects offers that nothing runs. A tool without labels may be any server. */
function checkOffered(
  { tools: offered = [] }: OperatorOffer,
  tools: readonly Tool[],
  { order, name }: RecipientPolicy,
): void {
  const labels = new Set(tools.flatMap(({ serverLabels = [] }) => serverLabels))
  const mayBeAny = tools.some(({ serverLabels }) => serverLabels === undefined)
  const hosted = hostedBuiltins(tools, () => {})
  for (const [index, tool] of offered.entries()) {
    const path = `offered.tools[${index}]`
    check(order.includes('mcp'), path, `a policy under which the host runs tools, other than '${name}'`, tool.type)
    if (tool.type === 'mcp') {
      const isKnown = mayBeAny || labels.has(tool.server_label)
      check(isKnown, `${path}.server_label`, 'the label of one of tools', tool.server_label)
    } else {
      const isRun = (hosted as readonly string[]).includes(undatedType(tool.type))
      check(isRun, path, 'a tool that one of tools answers', tool.type)
    }
  }
}
