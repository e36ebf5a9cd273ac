import { basename, resolve } from 'node:path'
import { UNKNOWN_POLICIES } from '../../core/diagnostics/unknown-parts.js'
import { ATTACHMENT_POLICIES } from '../../endpoint/prompt/attachments.js'
import { PASSED_PATHS, type PassedPath } from '../../engines/contract/engine-server.js'
import { NAMED_BACKENDS, type NamedBackend } from '../../engines/sources/structured-outputs/backends.js'
import { type PolicyName, policies } from '../../index.js'
import { oneOf } from '../command.js'
import { type Io, UsageError } from '../io.js'
import { DIALECTS } from '../replay.js'
import type { KeySources } from './keyring.js'
import { limitsOf, type ServeLimits } from './limits.js'
import { distinct, mcpServers } from './mcp-servers.js'
import { fileSecret, KEY_VARIABLES, type Secret, variableSecret } from './secrets.js'
import {
  APPROVALS,
  type EngineChoice,
  type FolderChoice,
  REASONING,
  type ServeSettings,
  type ServeValues,
  type StoreChoice,
} from './settings.js'
import { toldDate } from './told-date.js'

/** Returns the servers, and the labels of the offered ones. @throws UsageError */
function mcpSettings({
  mcp = [],
  offer = [],
  ...values
}: ServeValues): Pick<ServeSettings, 'mcp' | 'mcpConfig' | 'offered'> {
  const added = offer.filter((each) => each.includes('='))
  const servers = [...mcpServers(mcp, '--mcp'), ...mcpServers(added, '--offer')]
  const labels = offer.map((each) => each.split('=', 1)[0]?.trim() ?? '')
  if (labels.includes('')) throw new UsageError('--offer: expected label, label=command or label=url')
  return { mcp: distinct(servers, '--mcp and --offer'), mcpConfig: values['mcp-config'], offered: [...new Set(labels)] }
}

/** Parses `DIR` and `DIR=ID`. @throws UsageError */
function folderChoices(given: readonly string[] = []): FolderChoice[] {
  const folders = given.map((each) => {
    const [, folder = each, id] = /^(.*)=([^/\\]*)$/s.exec(each) ?? []
    if (folder === '') throw new UsageError('--file-search: expected a folder, got an empty text')
    const storeId = id ?? `vs_${basename(resolve(folder)).replace(/\W+/g, '_')}`
    if (/^[\w-]{1,64}$/.test(storeId)) return { folder, storeId }
    throw new UsageError(`--file-search: expected DIR=ID with an ID such as vs_docs, got ${JSON.stringify(each)}`)
  })
  const repeated = folders.find(({ storeId }, at) => folders.findIndex((one) => one.storeId === storeId) !== at)
  if (repeated === undefined) return folders
  throw new UsageError(`--file-search: expected each ID once, got ${repeated.storeId} again`)
}

const OWN_NAME = 'gpt-oss'
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost']

/** Parses and checks the options. @throws UsageError */
export function serveSettings(values: ServeValues, operands: readonly string[], env: Io['env']): ServeSettings {
  const { host = '127.0.0.1', record, 'model-alias': aliases = [], 'no-key': needsNoKey = false } = values
  const engine = engineChoice(values, operands)
  const keys = keySources(values, engine, env)
  const clientKey = keys.client ?? keys.clients
  if (needsNoKey && clientKey !== undefined) {
    throw new UsageError(`--no-key: expected no key, got ${clientKey.name}`)
  }
  if (!LOOPBACK.includes(host) && clientKey === undefined && !needsNoKey) {
    const ways = `--api-key KEY, --api-keys FILE, or ${KEY_VARIABLES.client}; or --no-key`
    throw new UsageError(`--host ${host}: others can reach it, so it needs a key: ${ways}`)
  }
  if (values.instructions === '') throw new UsageError('--instructions: expected a file, got an empty text')
  if (values['mcp-config'] === '') throw new UsageError('--mcp-config: expected a file, got an empty text')
  if (values.audit === '') throw new UsageError('--audit: expected a file, got an empty text')
  const auditsArguments = values['audit-arguments'] === true
  if (auditsArguments && values.audit === undefined) {
    throw new UsageError('--audit-arguments: expected --audit FILE with it')
  }
  if (values.verbose === true && values.log === 'json') {
    throw new UsageError('--verbose: expected --log text, got json: the timeline is not JSON')
  }
  if (record === '') throw new UsageError('--record: expected a folder, got an empty text')
  if (aliases.includes('')) throw new UsageError('--model-alias: expected a name, got an empty text')
  return {
    engine,
    passed: passedPaths(values.pass, engine),
    ...mcpSettings(values),
    folders: folderChoices(values['file-search']),
    approval: oneOf(Object.keys(APPROVALS) as (keyof typeof APPROVALS)[], '--approval', values.approval ?? 'request'),
    offeredCalls: oneOf(['shown', 'hidden'], '--offered-calls', values['offered-calls'] ?? 'shown'),
    instructions: values.instructions,
    host,
    port: countOf(values.port, '--port', 0, 65_535) ?? 8000,
    origins: (values.origin ?? []).map(originOf),
    keys,
    needsNoKey,
    store: storeChoice(values),
    models: [OWN_NAME, ...aliases.filter((name, index) => name !== OWN_NAME && aliases.indexOf(name) === index)],
    servesAnyName: aliases.length === 0,
    reasoning:
      REASONING[
        oneOf(Object.keys(REASONING) as (keyof typeof REASONING)[], '--reasoning', values.reasoning ?? 'request')
      ],
    chatCalls: oneOf(['hidden', 'reasoning'], '--chat-calls', values['chat-calls'] ?? 'hidden'),
    chatReasoning: oneOf(
      ['reasoning_content', 'reasoning', 'both'],
      '--chat-reasoning',
      values['chat-reasoning'] ?? 'reasoning_content',
    ),
    policy: oneOf(Object.keys(policies) as PolicyName[], '--policy', values.policy ?? 'openai'),
    dialect: oneOf(DIALECTS, '--dialect', values.dialect ?? 'openai'),
    unknown: oneOf(UNKNOWN_POLICIES, '--unknown', values.unknown ?? 'skip'),
    images: oneOf(ATTACHMENT_POLICIES, '--images', values.images ?? 'refuse-last'),
    onUnsupportedConstraint: oneOf(
      ['relax', 'refuse'],
      '--unsupported-constraints',
      values['unsupported-constraints'] ?? 'relax',
    ),
    limits: limitsWith(values),
    onDisconnect: onDisconnectOf(values['on-disconnect'] ?? 'stop'),
    recordings: record,
    date: toldDate(values.date, values['time-zone']),
    sharesPrefixCache: values['share-prefix-cache'] === true,
    audit: values.audit,
    auditsArguments,
    log: oneOf(['text', 'json'], '--log', values.log ?? 'text'),
    isVerbose: values.verbose === true,
  }
}

/** Returns the sources of the keys: options take precedence over the environment. @throws UsageError */
function keySources(values: ServeValues, { kind }: EngineChoice, env: Io['env']): KeySources {
  const { 'api-key': key } = values
  const variable = (name: keyof KeySources): Secret | undefined => variableSecret(KEY_VARIABLES[name], env)
  const isServer = kind === 'vllm' || kind === 'sglang' || kind === 'llama-server'
  const engine = isServer ? variable('engine') : undefined
  return {
    client: key === undefined ? variable('client') : { name: '--api-key', text: key },
    clients: fileSecret('--api-keys', values['api-keys']) ?? variable('clients'),
    operator: variable('operator'),
    seal: fileSecret('--seal-keys', values['seal-keys']) ?? variable('seal'),
    // Empty as in a file of variables that has a line for each: the engine may need none.
    engine: engine && 'text' in engine && engine.text === '' ? undefined : engine,
  }
}

/** Returns the choice of a store. @throws UsageError */
function storeChoice({ store: file, durability }: ServeValues): StoreChoice | undefined {
  if (file === '' || file === '-') throw new UsageError(`--store: expected a file, got ${JSON.stringify(file)}`)
  if (file !== undefined) {
    return { file, durability: oneOf(['process', 'power'], '--durability', durability ?? 'process') }
  }
  if (durability !== undefined) throw new UsageError('--durability: expected --store with it')
  return undefined
}

/** Adds `--parallel`, the most common limit, which has an option of its own. @throws UsageError */
function limitsWith({ limit = [], parallel }: ServeValues): ServeLimits {
  const concurrency = countOf(parallel, '--parallel')
  const limits = limitsOf(limit)
  if (concurrency === undefined) return limits
  if (limits.app.concurrency === undefined) return { ...limits, app: { ...limits.app, concurrency } }
  throw new UsageError('--parallel: expected it, or --limit concurrency, got both')
}

/** Normalizes an origin. @throws UsageError */
function originOf(given: string): string {
  const origin = URL.canParse(given) ? new URL(given).origin : 'null'
  if (origin === given && origin !== 'null') return origin
  const hint = origin === 'null' ? ', such as https://chat.example.com' : `: ${origin}`
  throw new UsageError(`--origin: expected an origin${hint}, got ${JSON.stringify(given)}`)
}

const CHOICES = ['replay', 'script', 'model', 'vllm', 'sglang', 'llama-server'] as const

function engineChoice(values: ServeValues, operands: readonly string[]): EngineChoice {
  const given = CHOICES.filter((name) => values[name] !== undefined && values[name] !== false)
  const [kind, ...others] = given
  if (kind === undefined || others.length > 0) {
    const got = kind === undefined ? 'none' : given.map((name) => `--${name}`).join(' and ')
    throw new UsageError(`serve: expected one of ${CHOICES.map((name) => `--${name}`).join(', ')}, got ${got}`)
  }
  const [folder, ...more] = operands
  const extra = kind === 'replay' ? more[0] : folder
  if (extra !== undefined) throw new UsageError(`serve: expected no operand, got ${JSON.stringify(extra)}`)
  const contextSize = countOf(values['context-size'], '--context-size', 2)
  if (contextSize !== undefined && kind !== 'model' && kind !== 'vllm' && kind !== 'sglang') {
    throw new UsageError('--context-size: expected only with --model, --vllm or --sglang')
  }
  const delayMs = countOf(values.delay, '--delay', 0, LONGEST_DELAY_MS)
  if (delayMs !== undefined && kind !== 'replay' && kind !== 'script') {
    throw new UsageError('--delay: expected only with --replay or --script')
  }
  if (kind === 'replay') return { kind, folder, delayMs: delayMs ?? 0 }
  if (kind === 'script') return { kind, file: values.script as string, delayMs: delayMs ?? 0 }
  const checkModel = values['skip-model-check'] !== true
  const structuredOutputs = backendOf(values['structured-outputs'], kind)
  if (kind !== 'model') {
    const named = { ...(structuredOutputs && { structuredOutputs }), ...(contextSize !== undefined && { contextSize }) }
    return { kind, url: values[kind] as string, checkModel, ...named }
  }
  const parallel = countOf(values.parallel, '--parallel')
  const sizes = { ...(contextSize !== undefined && { contextSize }), ...(parallel !== undefined && { parallel }) }
  return { kind, file: values.model as string, ...sizes }
}

function backendOf(given: string | undefined, kind: EngineChoice['kind']): NamedBackend | undefined {
  if (given === undefined) return undefined
  if (kind !== 'vllm' && kind !== 'sglang') {
    throw new UsageError('--structured-outputs: expected only with --vllm or --sglang')
  }
  const known = NAMED_BACKENDS.find((name) => name === given)
  if (known !== undefined) return known
  throw new UsageError(`--structured-outputs: expected ${NAMED_BACKENDS.join(', ')}, got ${JSON.stringify(given)}`)
}

/** @throws UsageError */
function passedPaths(given: readonly string[] = [], engine: EngineChoice): PassedPath[] {
  const paths = given.map((path) => oneOf(PASSED_PATHS, '--pass', path))
  if (paths.length === 0 || 'url' in engine) return [...new Set(paths)]
  throw new UsageError(`--pass: expected only with --vllm, --sglang or --llama-server, got --${engine.kind}`)
}

/** Less than `tokenSeconds`, which ends a model call that is silent for longer. */
const LONGEST_DELAY_MS = 10_000

function countOf(
  given: string | undefined,
  option: string,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (given === undefined) return undefined
  const count = Number(given)
  if (/^\d+$/.test(given) && count >= least && count <= most) return count
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw new UsageError(`${option}: expected a whole number ${range}, got ${JSON.stringify(given)}`)
}

/** One day. */
const LONGEST_GRACE_SECONDS = 86_400

function onDisconnectOf(given: string): ServeSettings['onDisconnect'] {
  if (given === 'stop' || given === 'finish') return given
  const seconds = Number(given)
  if (/^\d+$/.test(given) && seconds <= LONGEST_GRACE_SECONDS) return { graceMs: seconds * 1000 }
  const range = `a whole number of seconds from 0 to ${LONGEST_GRACE_SECONDS}`
  throw new UsageError(`--on-disconnect: expected stop, finish, or ${range}, got ${JSON.stringify(given)}`)
}
