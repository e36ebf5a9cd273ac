import type { EventEmitter } from 'node:events'
import type { RedisArgument, RedisClientOptions, RedisFunctions, RedisModules, RedisScripts } from 'redis'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { loadPackage } from '../../../shared/missing-package.js'
import type { Address } from './address.js'
import { isUnknownScript, storeError } from './failures.js'
import { type Script, scriptOf } from './scripts/script.js'
import { CHECK_IN, VERSION } from './scripts/server.js'
import { type SendCommand, serverState } from './server-state.js'

/** An answer: texts are bytes. */
export type Reply = Uint8Array | number | null | readonly Reply[]

/** The values of a script, as JSON. */
export type ScriptValues = Readonly<Record<string, unknown>>

/** The connections to a server, which are opened when they are needed, and again after they were lost. */
export interface Connections {
  /** Runs a script. @param contents - its contents, as bytes */
  run(body: string, given?: ScriptValues, contents?: readonly Uint8Array[]): Promise<Reply>
  /** Opens the connection that is told of changes. @returns its end, and what ends it */
  subscribe(notified: () => void): Promise<{ readonly ended: Promise<unknown>; end(): void }>
  close(): void
}

export interface ConnectionSettings {
  readonly address: Address
  readonly prefix: string
  readonly durability: 'process' | 'power'
  readonly timeoutSeconds: number
}

/** The package, as far as it is used. The types of its clients follow from their options. */
interface Redis {
  createClient(options: Options): Client
  readonly RESP_TYPES: { readonly BLOB_STRING: 36 }
}

type Options = RedisClientOptions<RedisModules, RedisFunctions, RedisScripts, 2>

interface Client extends EventEmitter {
  readonly isReady: boolean
  connect(): Promise<unknown>
  sendCommand<Answer>(command: readonly RedisArgument[]): Promise<Answer>
  subscribe(channel: string, listener: () => void): Promise<void>
  ref(): void
  unref(): void
  destroy(): void
}

/** A connection, and why it was given up. */
interface Connection {
  readonly client: Client
  problem: Error | undefined
  pending: number
}

export async function createConnections(settings: ConnectionSettings): Promise<Connections> {
  const { address, prefix, durability, timeoutSeconds } = settings
  const redis = await loadPackage<Redis>('createRedisStore', 'redis', 6)
  const ms = timeoutSeconds * 1000
  const open = new Set<Client>()
  let current: Promise<Connection> | undefined
  let isClosed = false

  const options: Options = {
    ...(address.user !== undefined && { username: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    database: address.database,
    // The oldest protocol: whoever may not ask for another one, or is behind a proxy, has it.
    RESP: 2,
    ...{ disableClientInfo: true, maintNotifications: 'disabled', disableOfflineQueue: true },
    // Its own limit does not end what was sent.
    commandOptions: { timeout: 0, typeMapping: { [redis.RESP_TYPES.BLOB_STRING]: Buffer } },
    socket: {
      ...{ host: address.host, port: address.port, connectTimeout: ms, reconnectStrategy: false },
      ...(address.tls && { ...address.tls, tls: true as const }),
    },
  }

  /** Gives a connection up that does not answer: what else waits for it fails, too. */
  async function inTime<Result>(connection: Connection, work: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        connection.problem = new Error('timeout')
        reject(connection.problem)
        connection.client.destroy()
      }, ms)
    })
    try {
      return await Promise.race([work, late])
    } catch (error) {
      throw connection.problem ?? error
    } finally {
      clearTimeout(timer)
    }
  }

  async function openClient(): Promise<Connection> {
    const client = redis.createClient(options)
    const connection: Connection = { client, problem: undefined, pending: 0 }
    // Whoever waits for it is told. Without a listener, it ends the process.
    client.on('error', (error) => {
      connection.problem ??= error
    })
    open.add(client)
    try {
      await inTime(connection, client.connect())
      await inTime(connection, meet(client))
      return connection
    } catch (error) {
      end(client)
      throw error
    }
  }

  function end(client: Client): void {
    open.delete(client)
    client.destroy()
  }

  async function meet(client: Client): Promise<void> {
    const ask: SendCommand = (...command) => client.sendCommand(command)
    const state = await serverState(ask, durability)
    const version = await evaluate(client, scriptOf(CHECK_IN), [JSON.stringify({ ...state, version: VERSION })])
    if (version === VERSION) return
    const expected = `expected data of version ${VERSION} or older, got version ${version}`
    throw new HarmonyResponsesError('bad_option', `createRedisStore: ${expected}`)
  }

  async function evaluate(client: Client, { sha, text }: Script, args: readonly RedisArgument[]): Promise<Reply> {
    try {
      return await client.sendCommand<Reply>(['EVALSHA', sha, '0', prefix, ...args])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return await client.sendCommand<Reply>(['EVAL', text, '0', prefix, ...args])
    }
  }

  async function connected(): Promise<Connection> {
    if (isClosed) throw new Error('the store is closed')
    const opened = current
    if (opened !== undefined) {
      const connection = await opened
      if (connection.client.isReady) return connection
      end(connection.client)
      // Unless somebody else has opened another one meanwhile.
      if (current === opened) current = undefined
      return await connected()
    }
    const opening = openClient()
    current = opening
    opening.catch(() => {
      if (current === opening) current = undefined
    })
    return await opening
  }

  return {
    async run(body, given = {}, contents = []) {
      try {
        const connection = await connected()
        const { client } = connection
        const args = [JSON.stringify(given), ...contents.map(bufferOf)]
        // The process may end while nothing is asked.
        if (connection.pending++ === 0) client.ref()
        try {
          return await inTime(connection, evaluate(client, scriptOf(body), args))
        } finally {
          if (--connection.pending === 0 && client.isReady) client.unref()
        }
      } catch (error) {
        throw storeError(error, address.shown, timeoutSeconds)
      }
    },
    async subscribe(notified) {
      const connection = await openClient()
      const { client } = connection
      const ended = new Promise((resolve) => void client.once('error', resolve).once('end', resolve))
      try {
        await inTime(connection, client.subscribe(`${prefix}changed`, notified))
      } catch (error) {
        end(client)
        throw error
      }
      client.unref()
      void ended.then(() => end(client))
      return { ended, end: () => end(client) }
    },
    close() {
      isClosed = true
      for (const client of open) end(client)
    },
  }
}

/** Node's own kind of bytes, which are sent as they are. */
function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}
