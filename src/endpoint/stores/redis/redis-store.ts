import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aString, that, wholeNumber } from '../../../shared/options/checks.js'
import type { ContentCipher } from '../database/cipher.js'
import type { DatabaseStore } from '../database/database-store.js'
import { createLanes } from '../database/lanes.js'
import { CACHE_BYTES, DATABASE_OPTIONS, type DatabaseLimits, OWNER_BYTES, SECONDS } from '../database/limits.js'
import type { Listening } from '../database/listener.js'
import { marked } from '../database/marked-text.js'
import { createServerStore } from '../database/server-store.js'
import { addressOf } from './address.js'
import { type Connections, createConnections } from './connections.js'
import { createCall } from './operations.js'
import { listOf, textOf } from './replies.js'
import { LOOK } from './scripts/reading.js'
import { CLOCK } from './scripts/server.js'

/** Options of `createRedisStore`. */
export interface RedisStoreOptions extends DatabaseLimits {
  /**
   * `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` with TLS. Parameters of the latter, all of them files: `cacert`,
   * `cert` and `key`.
   */
  readonly url: string
  /** What all of its keys begin with. Default `harmony-responses:`. */
  readonly prefix?: string
  /**
   * The events that an acknowledged append survives: `process`, the end of every process of ours, and of the server what it
   * writes to its disk; `power`, also a crash of the server and a power failure, for which the server needs `appendonly yes` and
   * `appendfsync always`. Default `process`.
   */
  readonly durability?: 'process' | 'power'
  /** How long to wait for a connection, and for an answer, in seconds. Default 5. */
  readonly timeoutSeconds?: number
  /** Encrypts content at rest: `createContentCipher(keys)`. Default: no encryption. */
  readonly cipher?: ContentCipher
}

/** Readable, and short: each key begins with it. */
const PREFIX = /^[\w:.-]{1,64}$/

const REDIS_STORE_OPTIONS: OptionTable<RedisStoreOptions> = {
  ...DATABASE_OPTIONS,
  url: aString,
  prefix: that((value) => PREFIX.test(String(value)), 'up to 64 letters, digits, and : . _ -'),
  timeoutSeconds: wholeNumber(1, 2_000_000),
}

/** The most steps that a process asks for at a time. */
const STEPS = 10

/** A store in Redis, which processes of several machines may share. */
export interface RedisStore extends DatabaseStore {
  /** The host, port and database of its server, without credentials. */
  readonly address: string
  /** Ends its connections, after the operations that were requested. */
  close(): Promise<void>
}

/**
 * Opens a store in Redis (7 or newer) or Valkey: its content survives the process, and processes of other machines continue with
 * the same server. Needs the package `redis`.
 *
 * @throws HarmonyResponsesError `bad_option`, also for a server that is a Cluster, that may drop keys, or that does not write what
 *   `durability` promises; an error for one that cannot be reached, or does not let it in
 *
 * @example
 * ```ts
 * import { createRedisStore } from 'harmony-responses/stores/redis'
 *
 * const store = await createRedisStore({ url: 'rediss://harmony:secret@redis.internal' })
 * await store.close() // for createResponsesApp({ store, ... })
 * ```
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  checkOptions('createRedisStore', options, REDIS_STORE_OPTIONS, ['url'])
  const { durability = 'process', seconds = SECONDS, ownerBytes = OWNER_BYTES, cipher } = options
  const { prefix = 'harmony-responses:', timeoutSeconds = 5, cacheBytes = CACHE_BYTES } = options
  const address = addressOf(options.url)
  const connections = await createConnections({ address, prefix, durability, timeoutSeconds })
  try {
    await connections.run(CLOCK)
  } catch (error) {
    connections.close()
    throw error
  }
  const lanes = createLanes(STEPS)
  return createServerStore({
    ...{ durability, cipher, cacheBytes, lanes, address: address.shown },
    call: createCall(connections, lanes, { seconds, ownerBytes }),
    listen: (notified) => listenOn(connections, notified),
    end: connections.close,
  })
}

/** Listens by a connection of its own, and looks by that of the others. */
async function listenOn({ run, subscribe }: Connections, notified: () => void): Promise<Listening> {
  const { ended, end } = await subscribe(notified)
  return {
    ended,
    async statesOf(ids) {
      const states = listOf(await run(LOOK, { ids: ids.map(marked) }))
      return new Map(ids.map((id, at) => [id, textOf(states[at])]))
    },
    end: async () => end(),
  }
}
