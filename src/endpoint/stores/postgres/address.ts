import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { HarmonyResponsesError } from '../../../shared/errors.js'

/** Where a database is, and who asks. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string | undefined
  readonly tls: ConnectionOptions | false
  /** Its host, port and name: without credentials, to be shown. */
  readonly shown: string
}

/** The parameters of a URL, as of libpq: what each means for TLS is in {@link tlsOf}. */
const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Reads the URL of a database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`. No message has its user or
 * its password.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function addressOf(given: string): Address {
  const url = URL.canParse(withHost(given)) ? new URL(withHost(given)) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw refused('expected postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  }
  const parameters = url.searchParams
  // Not which: a password with a `?` that is not escaped becomes a parameter.
  const isUnknown = [...parameters.keys()].some((name) => !PARAMETERS.includes(name))
  if (isUnknown) throw refused(`expected no parameters but ${PARAMETERS.join(', ')}`)
  const user = decoded(url.username, 'user')
  const database = decoded(url.pathname.slice(1), 'database') || user
  if (user === '' || database === '') throw refused(`expected a ${user === '' ? 'user' : 'database'}`)
  // The folder of a Unix socket, or a name.
  const host = parameters.get('host') ?? (url.hostname === NO_HOST ? 'localhost' : url.hostname.replace(/^\[|\]$/g, ''))
  const port = url.port === '' ? 5432 : Number(url.port)
  const password = url.password === '' ? undefined : decoded(url.password, 'password')
  const shown = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
  return { host, port, database, user, password, tls: tlsOf(parameters), shown }
}

const NO_HOST = 'no-host.invalid'

/** URLs of other schemes have a host: `postgres://USER@/DATABASE?host=FOLDER` has none. */
function withHost(given: string): string {
  return given.replace(/^(\w+:\/\/(?:[^@/?#]*@)?)(?=[/?]|$)/, `$1${NO_HOST}`)
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(`expected a ${what} whose special characters are written as %XX`)
  }
}

/** As libpq: `require` encrypts, `verify-ca` also checks the certificate, and `verify-full` whose it is. */
function tlsOf(parameters: URLSearchParams): ConnectionOptions | false {
  const files = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const
  const read = Object.entries(files).flatMap(([option, name]) => {
    const file = parameters.get(name)
    return file === null ? [] : [[option, contentOf(file, name)] as const]
  })
  const mode = parameters.get('sslmode') ?? (read.length > 0 ? 'verify-full' : 'disable')
  if (!MODES.includes(mode)) throw refused(`sslmode: expected one of ${MODES.join(', ')}, got ${mode}`)
  if (mode === 'disable') return false
  return {
    ...Object.fromEntries(read),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}

function contentOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw refused(`${name}: cannot read ${file}: ${(error as { readonly code?: string }).code}`)
  }
}

function refused(problem: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `createPostgresStore: url: ${problem}`)
}
