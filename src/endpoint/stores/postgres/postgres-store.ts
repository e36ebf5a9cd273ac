import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aString, that, wholeNumber } from '../../../shared/options/checks.js'
import type { ContentCipher } from '../database/cipher.js'
import type { DatabaseStore } from '../database/database-store.js'
import { createLanes, MIN_CONNECTIONS } from '../database/lanes.js'
import { CACHE_BYTES, DATABASE_OPTIONS, type DatabaseLimits, OWNER_BYTES, SECONDS } from '../database/limits.js'
import { createServerStore } from '../database/server-store.js'
import { addressOf } from './address.js'
import { createConnections } from './connections.js'
import { listenOn } from './listening.js'
import { createCall } from './operations.js'
import { migrate } from './schema.js'

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions extends DatabaseLimits {
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Parameters, as of libpq: `sslmode` (`disable`, `require`, `verify-ca` or
   * `verify-full`), `sslrootcert`, `sslcert` and `sslkey`, which are files; `host`, the folder of a Unix socket.
   */
  readonly url: string
  /** The schema of its tables, which is created if it is missing. Default `harmony_responses`. */
  readonly schema?: string
  /**
   * The events that an acknowledged append survives: `process`, the end of every process of ours (`synchronous_commit = off`:
   * a crash of the database server loses the last moments); `power`, also a crash of the server and a power failure, at the
   * price of a disk write for each step. Default `process`.
   */
  readonly durability?: 'process' | 'power'
  /** The most connections of this process, beside the one that listens. At least 4. Default 10. */
  readonly connections?: number
  /** How long to wait for a connection, and for the answer to a statement, in seconds. Default 5. */
  readonly timeoutSeconds?: number
  /** Encrypts content at rest: `createContentCipher(keys)`. Default: no encryption. */
  readonly cipher?: ContentCipher
}

/** A name that needs no quotes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

const POSTGRES_STORE_OPTIONS: OptionTable<PostgresStoreOptions> = {
  ...DATABASE_OPTIONS,
  url: aString,
  schema: that((value) => SCHEMA.test(String(value)), 'a name of small letters, digits and underscores'),
  connections: wholeNumber(MIN_CONNECTIONS),
  timeoutSeconds: wholeNumber(1, 2_000_000),
}

/** A store in Postgres, which processes of several machines may share. */
export interface PostgresStore extends DatabaseStore {
  /** The host, port and name of its database, without credentials. */
  readonly address: string
  /** Ends its connections, after the operations that were requested. */
  close(): Promise<void>
}

/**
 * Opens a store in a Postgres database (13 or newer): its content survives the process, and processes of other machines continue
 * with the same database. Needs the package `pg`.
 *
 * @throws HarmonyResponsesError `bad_option`; an error for a database that cannot be reached, or does not let it in
 *
 * @example
 * ```ts
 * import { createPostgresStore } from 'harmony-responses/stores/postgres'
 *
 * const store = await createPostgresStore({ url: 'postgres://harmony:secret@db.internal/harmony?sslmode=verify-full' })
 * await store.close() // for createResponsesApp({ store, ... })
 * ```
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  checkOptions('createPostgresStore', options, POSTGRES_STORE_OPTIONS, ['url'])
  const { durability = 'process', seconds = SECONDS, ownerBytes = OWNER_BYTES, cipher } = options
  const { schema = 'harmony_responses', connections: max = 10, timeoutSeconds = 5, cacheBytes = CACHE_BYTES } = options
  const address = addressOf(options.url)
  const connections = await createConnections({ address, schema, durability, connections: max, timeoutSeconds })
  try {
    await connections.checkSessions()
    await migrate(connections, schema)
  } catch (error) {
    await connections.close()
    throw error
  }
  const lanes = createLanes(max)
  return createServerStore({
    ...{ durability, cipher, cacheBytes, lanes, address: address.shown },
    call: createCall(connections, lanes, { seconds, ownerBytes }),
    listen: (notified) => listenOn(connections.openListener, schema, notified),
    end: connections.close,
  })
}
