import type { ConnectionOptions } from 'node:tls'
import { checkParameters, decodedPart, filesOf, hostOf, refusalOf, shownAddress } from '../database/url-parts.js'

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
const refused = refusalOf('createPostgresStore')
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
  checkParameters(parameters, PARAMETERS, refused)
  const user = decodedPart(url.username, 'user', refused)
  const database = decodedPart(url.pathname.slice(1), 'database', refused) || user
  if (user === '' || database === '') throw refused(`expected a ${user === '' ? 'user' : 'database'}`)
  // The folder of a Unix socket, or a name.
  const host = parameters.get('host') ?? (url.hostname === NO_HOST ? 'localhost' : hostOf(url))
  const port = url.port === '' ? 5432 : Number(url.port)
  const password = url.password === '' ? undefined : decodedPart(url.password, 'password', refused)
  const shown = shownAddress(host, port, database)
  return { host, port, database, user, password, tls: tlsOf(parameters), shown }
}

const NO_HOST = 'no-host.invalid'

/** URLs of other schemes have a host: `postgres://USER@/DATABASE?host=FOLDER` has none. */
function withHost(given: string): string {
  return given.replace(/^(\w+:\/\/(?:[^@/?#]*@)?)(?=[/?]|$)/, `$1${NO_HOST}`)
}

/** As libpq: `require` encrypts, `verify-ca` also checks the certificate, and `verify-full` whose it is. */
function tlsOf(parameters: URLSearchParams): ConnectionOptions | false {
  const files = filesOf(parameters, { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' }, refused)
  const mode = parameters.get('sslmode') ?? (Object.keys(files).length > 0 ? 'verify-full' : 'disable')
  if (!MODES.includes(mode)) throw refused(`sslmode: expected one of ${MODES.join(', ')}, got ${mode}`)
  if (mode === 'disable') return false
  return {
    ...files,
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}
