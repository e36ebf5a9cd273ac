import type { ConnectionOptions } from 'node:tls'
import { checkParameters, decodedPart, filesOf, hostOf, refusalOf, shownAddress } from '../database/url-parts.js'

/** Where a server is, and who asks. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The number of its database. */
  readonly database: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly tls: ConnectionOptions | undefined
  /** Its host, port and database: without credentials, to be shown. */
  readonly shown: string
}

/** The parameters of a URL, as redis-cli has them: files. */
const FILES = { ca: 'cacert', cert: 'cert', key: 'key' } as const

const refused = refusalOf('createRedisStore')

/**
 * Reads the URL of a server: `rediss://USER:PASSWORD@HOST:PORT/DATABASE?cacert=FILE`. No message has its user or its password.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function addressOf(given: string): Address {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol)) {
    throw refused('expected redis://USER:PASSWORD@HOST:PORT/DATABASE, or rediss:// with TLS')
  }
  checkParameters(url.searchParams, Object.values(FILES), refused)
  const files = filesOf(url.searchParams, FILES, refused)
  const isSecure = url.protocol === 'rediss:'
  if (!isSecure && Object.keys(files).length > 0) throw refused('expected rediss:// with the files of TLS')
  const database = Number(/^\/?(\d{0,5})$/.exec(url.pathname)?.[1] ?? 'none')
  // Not what: a password with a `/` that is not escaped becomes a part of it.
  if (Number.isNaN(database)) throw refused('expected the number of a database after the host')
  const part = (text: string, what: string): string | undefined =>
    text === '' ? undefined : decodedPart(text, what, refused)
  const host = hostOf(url) || 'localhost'
  const port = url.port === '' ? 6379 : Number(url.port)
  return {
    ...{ host, port, database, tls: isSecure ? files : undefined },
    user: part(url.username, 'user'),
    password: part(url.password, 'password'),
    shown: shownAddress(host, port, database),
  }
}
