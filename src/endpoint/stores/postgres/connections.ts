import { Socket } from 'node:net'
import type { Client, Pool, PoolClient, QueryConfig, types } from 'pg'
import { loadPackage } from '../../../shared/missing-package.js'
import type { Address } from './address.js'
import { isLost, isTransient, sharedSessions, storeError, Undone } from './failures.js'

/** The value of a parameter, or of a column. Whole numbers of 64 bits are numbers. */
export type Value = string | number | boolean | Date | Uint8Array | null | readonly (string | number | boolean | null)[]

export type Row = Readonly<Record<string, unknown>>

/** Runs one statement. It is prepared once for each connection. */
export type Query = (text: string, ...values: readonly Value[]) => Promise<readonly Row[]>

/** Connections to a database, which are opened when they are needed, and again after they were lost. */
export interface Connections {
  /** @throws if two connections have one session, as behind a pooler in transaction mode that is otherwise idle */
  checkSessions(): Promise<void>
  /** Runs statements one by one, each in a transaction of its own. */
  run<Result>(work: (query: Query) => Promise<Result>): Promise<Result>
  /** The same, once more if others were in its way. */
  retried<Result>(work: (query: Query) => Promise<Result>): Promise<Result>
  /** Runs statements in one transaction, once more if others were in its way. {@link Undone} undoes it. */
  inTransaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>
  /** Opens a connection beside the others, which keeps no process alive. */
  openListener(): Promise<Client>
  close(): Promise<void>
}

export interface ConnectionSettings {
  readonly address: Address
  readonly schema: string
  readonly durability: 'process' | 'power'
  readonly connections: number
  readonly timeoutSeconds: number
}

/** How often a statement or a transaction is tried that others are in the way of. */
const TRIES = 5
const IDLE_MS = 30_000
const INT8 = 20
/** The server's process that has the session of a connection. */
const PID = 'SELECT pg_backend_pid() AS pid'

type ListeningClient = Client & { unref(): void }

interface Pg {
  /** Its types lack `unref`. */
  readonly Client: new (
    ...given: ConstructorParameters<typeof Client>
  ) => ListeningClient
  readonly Pool: typeof Pool
  readonly types: typeof types
}

export async function createConnections(settings: ConnectionSettings): Promise<Connections> {
  const { address, connections, timeoutSeconds } = settings
  const { default: pg } = await loadPackage<{ readonly default: Pg }>('createPostgresStore', 'pg', 8)
  const ms = timeoutSeconds * 1000
  const sockets = new Set<Socket>()

  /** A connection that the server does not let in stays open otherwise, until the server ends it. */
  function openSocket(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const config = {
    ...{ host: address.host, port: address.port, database: address.database, user: address.user },
    // Without one, that of PGPASSWORD or ~/.pgpass.
    ...{ password: address.password, ssl: address.tls, application_name: 'harmony-responses', stream: openSocket },
    ...{ connectionTimeoutMillis: ms, query_timeout: ms, keepAlive: true },
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  }
  const pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true })
  // A connection that breaks while nobody uses it is removed; one in use fails its statement. Neither ends the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const names = new Map<string, string>()
  const setUp = sessionSettings(settings)
  /** The connections that have their settings. */
  const ready = new WeakSet<PoolClient>()

  function nameOf(text: string): string {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }

  async function withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    let client: PoolClient | undefined
    try {
      client = await pool.connect()
      if (!ready.has(client)) {
        await client.query(setUp)
        ready.add(client)
      }
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client?.release(isLost(error))
      throw storeError(error, address.shown, timeoutSeconds)
    }
  }

  function queryOf(client: PoolClient): Query {
    return async (text, ...values) => (await client.query({ name: nameOf(text), text, values: [...values] })).rows
  }

  async function openClient(): Promise<ListeningClient> {
    const socket = openSocket()
    const client = new pg.Client({ ...config, stream: () => socket })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(setUp)
    } catch (error) {
      // A server that hangs would keep one for each attempt.
      socket.destroy()
      throw storeError(error, address.shown, timeoutSeconds)
    }
    return client
  }

  async function checkSessions(): Promise<void> {
    const other = await openClient()
    try {
      const { rows } = await other.query(PID)
      // One after the other: two statements at a time have two sessions, whoever gives them.
      const isOne = await withClient(async (one) => (await one.query(PID)).rows[0].pid === rows[0].pid)
      if (isOne) throw sharedSessions(address.shown)
    } finally {
      await other.end()
    }
  }

  async function once<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return await withClient(async (client) => {
      await client.query('BEGIN')
      try {
        const result = await work(queryOf(client))
        await client.query('COMMIT')
        return result
      } catch (error) {
        if (!isLost(error)) await client.query('ROLLBACK')
        throw error
      }
    })
  }

  const run: Connections['run'] = (work) => withClient((client) => work(queryOf(client)))

  async function again<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (error instanceof Undone) return error.answer
        if (tries === TRIES || !isTransient(error)) throw error
      }
    }
  }

  return {
    run,
    checkSessions,
    retried: (work) => again(() => run(work)),
    inTransaction: (work) => again(() => once(work)),
    async openListener() {
      const client = await openClient()
      // Following keeps no process alive.
      client.unref()
      return client
    },
    async close() {
      await pool.end()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * The settings of each connection. A plan that was made while a table was empty would read all of it once it is full: none
 * may, and all have an index. A process that is paused in a transaction loses its locks. By a statement, because poolers
 * refuse or drop the options of a connection.
 */
function sessionSettings({ schema, durability, timeoutSeconds }: ConnectionSettings): QueryConfig {
  const ms = timeoutSeconds * 1000
  const all = Object.entries({
    search_path: schema,
    synchronous_commit: durability === 'power' ? 'on' : 'off',
    statement_timeout: ms,
    idle_in_transaction_session_timeout: ms,
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    jit: 'off',
    client_min_messages: 'warning',
  })
  const calls = all.map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, false)`)
  return { text: `SELECT ${calls.join(', ')}`, values: all.flat().map(String) }
}
