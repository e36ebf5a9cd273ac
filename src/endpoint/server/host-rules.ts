import { RequestError } from '../../shared/request-error.js'

/** Rules about the hosts and sites that may reach the endpoint. */
export interface HostRules {
  /**
   * The names under which it is reached, as browsers send them in `Host`, without ports; `any` for a server behind a
   * proxy that checks them. A page of another site that resolves its own name to this address (DNS rebinding) is
   * refused. Default: names of the loopback interface, and any if there is `authorize`, because a page has no key. With
   * the default and without `authorize` a request with a proxy's header (`Forwarded`, `X-Forwarded-*`, `X-Real-IP`,
   * `Via`) is refused: many proxies put the server's own name in `Host`, whatever the client asked for.
   */
  readonly hosts?: readonly string[] | 'any'
  /** The sites whose pages may use it, such as `https://chat.example.com`, by CORS. Default: none. */
  readonly origins?: readonly string[]
}

/** Matches headers that proxies add: RFC 7239, RFC 9110 section 7.6.3, and their older forms, which are still used. */
const OF_PROXY = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** @throws RequestError with status 403 */
export type CheckHost = (request: Request) => void

export function createHostCheck({ hosts, origins = [] }: HostRules, hasKeys: boolean): CheckHost {
  const named = Array.isArray(hosts) ? (hosts as readonly string[]).map(nameOf) : (hosts as 'any' | undefined)
  const allowed = named ?? (hasKeys ? 'any' : LOOPBACK)
  const refusesProxies = hosts === undefined && !hasKeys
  return (request) => {
    const forwarded = refusesProxies ? proxyHeader(request.headers) : undefined
    if (forwarded !== undefined) throw proxied(forwarded)
    const host = request.headers.get('host') ?? new URL(request.url).host
    if (allowed !== 'any' && !allowed.includes(nameOf(host))) {
      throw new RequestError('The host of this request is not allowed.', { status: 403, code: 'host_not_allowed' })
    }
    const origin = request.headers.get('origin')
    // Allows pages of the endpoint's own host, and programs, which send no origin.
    if (origin === null || origins.includes(origin) || isOfHost(origin, host)) return
    throw new RequestError('The origin of this request is not allowed.', { status: 403, code: 'origin_not_allowed' })
  }
}

function proxyHeader(headers: Headers): string | undefined {
  for (const name of headers.keys()) if (OF_PROXY.test(name)) return name
  return undefined
}

function proxied(header: string): RequestError {
  const ways = 'its operator can set a key, or serve without one (serve: --no-key; hosts of the app)'
  const message = `A proxy forwarded this request (${header.slice(0, 40)}), and this server asks for no key: ${ways}.`
  return new RequestError(message, { status: 403, code: 'proxied_without_key' })
}

/** Strips the port, and lowers the case. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

function isOfHost(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === host.toLowerCase()
  } catch {
    return false
  }
}
