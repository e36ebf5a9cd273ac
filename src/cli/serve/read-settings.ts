import { basename, resolve } from 'node:path'
import type { PassedPath } from '../../engines/contract/engine-server.js'
import { type Io, UsageError } from '../io.js'
import { checkOptions } from '../options/option.js'
import type { Engine } from './engines/engine.js'
import { ENGINES } from './engines/index.js'
import type { KeySources } from './keyring.js'
import { limitsOf, type ServeLimits } from './limits.js'
import { distinct, mcpServers } from './mcp-servers.js'
import { OPTIONS, type ServeValues } from './options.js'
import { fileSecret, KEY_VARIABLES, type Secret, STORE_VARIABLE, variableSecret } from './secrets.js'
import type { FolderChoice, ServeSettings } from './settings.js'
import { toldDate } from './told-date.js'
import { searchChoice } from './web-search/search-choice.js'

const OWN_NAME = 'gpt-oss'
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost']

/** Parses and checks the options. @throws UsageError */
export function serveSettings(values: ServeValues, operands: readonly string[], env: Io['env']): ServeSettings {
  const name = engineName(values, operands)
  const {
    config: _,
    offer,
    fileSearch,
    search,
    searchAllow,
    searchDomain,
    searchRobots,
    limit,
    ...checked
  } = checkOptions(OPTIONS, values)
  const { host = '127.0.0.1', modelAlias: aliases, noKey, parallel } = checked
  const keys = keySources(values, name, env)
  const clientKey = keys.client ?? keys.clients
  if (noKey && clientKey !== undefined) throw new UsageError(`--no-key: expected no key, got ${clientKey.name}`)
  if (!LOOPBACK.includes(host) && clientKey === undefined && !noKey) {
    const ways = `--api-key KEY, --api-keys FILE, or ${KEY_VARIABLES.client}; or --no-key`
    throw new UsageError(`--host ${host}: others can reach it, so it needs a key: ${ways}`)
  }
  if (checked.verbose && checked.log === 'json') {
    throw new UsageError('--verbose: expected --log text, got json: the timeline is not JSON')
  }
  const store =
    checked.store === undefined ? variableSecret(STORE_VARIABLE, env) : { name: '--store', text: checked.store }
  const ofStore = (['durability', 'keep', 'keep-bytes'] as const).find((each) => values[each] !== undefined)
  if (ofStore !== undefined && store === undefined) {
    throw new UsageError(`--${ofStore}: expected only with --store or ${STORE_VARIABLE}`)
  }
  const added = offer.filter((each) => each.includes('='))
  return {
    ...checked,
    engine: name,
    target: name === 'replay' ? operands[0] : values[name],
    delay: checked.delay ?? 0,
    // Cast: the option takes no other words.
    pass: [...new Set(checked.pass)] as PassedPath[],
    mcp: distinct([...mcpServers(checked.mcp, '--mcp'), ...mcpServers(added, '--offer')], '--mcp and --offer'),
    offered: offeredLabels(offer),
    folders: folderChoices(fileSearch),
    search: searchChoice(search, { allow: searchAllow, domains: searchDomain, robots: searchRobots }, env),
    host,
    port: checked.port ?? 8000,
    origin: checked.origin.map(originOf),
    keys,
    store,
    models: [OWN_NAME, ...new Set(aliases.filter((alias) => alias !== OWN_NAME))],
    servesAnyName: aliases.length === 0,
    reasoning: checked.reasoning === 'request' ? undefined : checked.reasoning,
    limits: limitsWith(limitsOf(limit), parallel),
    toldDate: toldDate(checked.date, checked.timeZone),
  }
}

/** Returns the name of the engine that was chosen. @throws UsageError unless it is one */
function engineName(values: ServeValues, operands: readonly string[]): keyof typeof ENGINES {
  const names = Object.keys(ENGINES) as (keyof typeof ENGINES)[]
  const given = names.filter((name) => values[name] !== undefined && values[name] !== false)
  const [name, ...others] = given
  const shown = (each: readonly string[], separator: string): string => each.map((one) => `--${one}`).join(separator)
  if (name === undefined || others.length > 0) {
    throw new UsageError(`serve: expected one of ${shown(names, ', ')}, got ${shown(given, ' and ') || 'none'}`)
  }
  const extra = operands[name === 'replay' ? 1 : 0]
  if (extra !== undefined) throw new UsageError(`serve: expected no operand, got ${JSON.stringify(extra)}`)
  return name
}

/** Returns the sources of the keys: options take precedence over the environment. @throws UsageError */
function keySources(values: ServeValues, name: keyof typeof ENGINES, env: Io['env']): KeySources {
  const { 'api-key': key } = values
  const variable = (each: keyof KeySources): Secret | undefined => variableSecret(KEY_VARIABLES[each], env)
  const { needsKey }: Engine = ENGINES[name]
  const engine = needsKey ? variable('engine') : undefined
  return {
    client: key === undefined ? variable('client') : { name: '--api-key', text: key },
    clients: fileSecret('--api-keys', values['api-keys']) ?? variable('clients'),
    operator: variable('operator'),
    seal: fileSecret('--seal-keys', values['seal-keys']) ?? variable('seal'),
    // Empty as in a file of variables that has a line for each: the engine may need none.
    engine: engine && 'text' in engine && engine.text === '' ? undefined : engine,
  }
}

/** Returns the labels of `label`, `label=command` and `label=url`. @throws UsageError */
function offeredLabels(offer: readonly string[]): string[] {
  const labels = offer.map((each) => each.split('=', 1)[0]?.trim() ?? '')
  if (labels.includes('')) throw new UsageError('--offer: expected label, label=command or label=url')
  return [...new Set(labels)]
}

/** Parses `DIR` and `DIR=ID`. @throws UsageError */
function folderChoices(given: readonly string[]): FolderChoice[] {
  const folders = given.map((each) => {
    const [, folder = each, id] = /^(.*)=([^/\\]*)$/s.exec(each) ?? []
    if (folder === '') throw new UsageError('--file-search: expected DIR, got an empty text')
    const storeId = id ?? `vs_${basename(resolve(folder)).replace(/\W+/g, '_')}`
    if (/^[\w-]{1,64}$/.test(storeId)) return { folder, storeId }
    throw new UsageError(`--file-search: expected DIR=ID with an ID such as vs_docs, got ${JSON.stringify(each)}`)
  })
  const repeated = folders.find(({ storeId }, at) => folders.findIndex((one) => one.storeId === storeId) !== at)
  if (repeated === undefined) return folders
  throw new UsageError(`--file-search: expected each ID once, got ${repeated.storeId} again`)
}

/** Adds `--parallel`, the most common limit, which has an option of its own. @throws UsageError */
function limitsWith(limits: ServeLimits, concurrency: number | undefined): ServeLimits {
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
