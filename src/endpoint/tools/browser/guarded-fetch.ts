import type { LookupFunction, Socket } from 'node:net'
import { check } from '../../../shared/errors.js'
import { loadPackage } from '../../../shared/missing-package.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { wholeNumber } from '../../../shared/options/checks.js'
import { nodeModule } from '../../../shared/system/node-module.js'
import { type AddressRules, createAddressRules } from './address-rules.js'

/** Options of `createGuardedFetch`. */
export interface GuardedFetchOptions {
  /**
   * Hosts that may be opened although they are of this network, or by another port: `host`, `host:port`, `[::1]:8080`.
   * Without a port, 80 and 443. Default: none.
   */
  readonly allow?: readonly string[]
  /** The maximum size of an answer in bytes, as it is sent: before it is decompressed. Default 16 MiB. */
  readonly maxBytes?: number
}

const OPTIONS: OptionTable<GuardedFetchOptions> = {
  allow(value, path) {
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && readHost(one) !== undefined)
    check(isList, path, 'a list of hosts, each with or without a port', value)
  },
  maxBytes: wholeNumber(1),
}

/** The ports of the web. */
const PORTS: readonly number[] = [80, 443]

interface Undici {
  readonly fetch: unknown
  readonly Agent: typeof import('undici').Agent
  readonly buildConnector: typeof import('undici').buildConnector
}

/**
 * Creates a `fetch` that opens nothing of this machine's network, whoever wrote the address: a page, or a model that read
 * one. It checks addresses that are written as numbers, every address that a name leads to, and that of the socket, so that
 * neither a redirection nor a name that changes its address gets by. Ports other than 80 and 443 are refused. It needs the
 * packages `undici` (7) and `ipaddr.js` (2).
 *
 * @throws HarmonyResponsesError `bad_option`, also if a package is not installed
 *
 * @example
 * ```ts
 * import { createGuardedFetch } from 'harmony-responses/tools/browser'
 *
 * const fetch = await createGuardedFetch({ allow: ['wiki.internal:8080'] })
 * const refused = await fetch('http://127.0.0.1/').catch((error: Error) => error.message) // 'fetch failed'
 * ```
 */
export async function createGuardedFetch(options: GuardedFetchOptions = {}): Promise<typeof globalThis.fetch> {
  checkOptions('createGuardedFetch', options, OPTIONS)
  const { Agent, buildConnector, fetch } = await loadPackage<Undici>('createGuardedFetch', 'undici', 7)
  const { default: ipaddr } = await loadPackage<{ readonly default: typeof import('ipaddr.js') }>(
    'createGuardedFetch',
    'ipaddr.js',
    2,
  )
  const rules = createAddressRules(ipaddr)
  const dns = nodeModule('node:dns') as typeof import('node:dns') | undefined
  const net = nodeModule('node:net') as typeof import('node:net') | undefined
  check(
    dns !== undefined && net !== undefined,
    'createGuardedFetch',
    'Node.js, as it looks names up',
    'another runtime',
  )
  const allowed = (options.allow ?? []).map((host) => readHost(host) as Host)
  const connect = buildConnector({ lookup: guardedLookup(rules, dns.lookup) })
  const free = buildConnector({})
  const dispatcher = new Agent({
    maxResponseSize: options.maxBytes ?? 16_777_216,
    connect(target, callback) {
      const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
      const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, '')
      if (allowed.some((one) => one.host === host && one.ports.includes(port))) return free(target, callback)
      if (!PORTS.includes(port)) return callback(refused(`port ${port}`), null)
      // A literal is never looked up.
      if (net.isIP(host) > 0 && !rules.isPublic(host)) return callback(refused('the address'), null)
      connect(target, (error, socket) => {
        if (error !== null) return callback(error, null)
        if (rules.isPublic((socket as Socket).remoteAddress ?? '')) return callback(null, socket)
        socket.destroy()
        callback(refused('the address'), null)
      })
    },
  })
  const open = fetch as (url: unknown, init: object) => Promise<Response>
  return (input, init) => open(input, { ...init, dispatcher })
}

interface Host {
  readonly host: string
  readonly ports: readonly number[]
}

/** Parses `host`, `host:port`, `[::1]` and `[::1]:8080`. */
function readHost(text: string): Host | undefined {
  const [, literal, name, port] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]@]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = (literal ?? name)?.toLowerCase()
  return host === undefined ? undefined : { host, ports: port === undefined ? PORTS : [Number(port)] }
}

/** Looks a name up. All its addresses have to be public: of a list, the system may take any. */
function guardedLookup({ isPublic }: AddressRules, lookup: typeof import('node:dns').lookup): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      if (!addresses.every(({ address }) => isPublic(address))) return callback(refused('the address'), [])
      const [first] = addresses
      if (options.all === true || first === undefined) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function refused(what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`refused: ${what}`), { code: 'ERR_REFUSED_ADDRESS' })
}
