import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, anything, aString, oneOf, that, wholeNumber } from '../../../shared/options/checks.js'
import type { ContentCipher } from '../database/cipher.js'
import { createDatabaseStore, type DatabaseStore } from '../database/database-store.js'
import type { Moment } from '../database/expiry.js'
import { createFollowers } from '../database/followers.js'
import { CACHE_BYTES, DATABASE_OPTIONS, type DatabaseLimits, OWNER_BYTES, SECONDS } from '../database/limits.js'
import { type Driver, makePrivate } from './driver.js'
import { isLeaseClock, type LeaseClock, machineClock } from './lease-clock.js'
import type { WorkerSettings } from './protocol.js'
import { openThread, workerUrl } from './store-thread.js'

/** Options of `createSqliteStore`. */
export interface SqliteStoreOptions extends DatabaseLimits {
  /** The file of the database. If missing, it is created, readable by its owner only. */
  readonly file: string
  /**
   * The events that an acknowledged append survives: `process`, the end of every process; `power`, also a power
   * failure, at the price of a disk write for each step. Default `process`.
   */
  readonly durability?: 'process' | 'power'
  /** The limit of the file, in bytes, above which writes fail. Default: the disk's. */
  readonly fileBytes?: number
  /** Encrypts content at rest: `createContentCipher(keys)`. Default: no encryption. */
  readonly cipher?: ContentCipher
  /** How long to wait for a lock of another process, in seconds. Default 5. */
  readonly lockSeconds?: number
  /** Unix time in seconds, for ages. Default: the system's. */
  readonly clock?: () => number
  /** The clock of leases, the same one for all processes on the file. Default: the machine's since its start. */
  readonly leaseClock?: LeaseClock
  /** The SQLite driver. Default: `node:sqlite` if Node has it (22.13), else the package `better-sqlite3`. */
  readonly driver?: Driver
  /** The location of its worker's program, for bundlers that move files: `stores/sqlite/worker.js` of this package. */
  readonly worker?: URL
}

const SQLITE_STORE_OPTIONS: OptionTable<SqliteStoreOptions> = {
  ...DATABASE_OPTIONS,
  file: aString,
  fileBytes: wholeNumber(1),

  lockSeconds: wholeNumber(0),
  clock: aFunction,
  leaseClock: that(isLeaseClock, 'a clock: { id, seconds() }'),
  driver: oneOf('node:sqlite', 'better-sqlite3'),
  worker: anything,
}

/** A store in a file, which several processes of one machine may share. */
export interface SqliteStore extends DatabaseStore {
  /** The driver that opened the file. */
  readonly driver: Driver
  /** Copies the database, while it is in use, into a new file, readable by its owner only. */
  backup(file: string): Promise<void>
  /** Ends its worker, after the operations that were requested. */
  close(): Promise<void>
}

/**
 * Opens a store in a SQLite database: its content survives the process, and other processes can continue with the same
 * file.
 *
 * @throws HarmonyResponsesError `bad_option`; SQLite's error for a file that it cannot open
 *
 * @example
 * ```ts
 * import { createSqliteStore } from 'harmony-responses/stores/sqlite'
 *
 * const store = await createSqliteStore({ file: 'responses.db' }) // for createResponsesApp({ store, ... })
 * await store.close()
 * ```
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  checkOptions('createSqliteStore', options, SQLITE_STORE_OPTIONS, ['file'])
  const { file, durability = 'process', seconds = SECONDS, ownerBytes = OWNER_BYTES, cipher } = options
  // With fractions, unlike `unixSeconds`: what was used within one second is evicted in the order of its use.
  const { clock = () => Date.now() / 1000, lockSeconds = 5, driver, fileBytes, cacheBytes = CACHE_BYTES } = options
  const { leaseClock = machineClock() } = options
  const time = (): Moment => ({ now: clock(), steady: leaseClock.seconds() })
  const settings: WorkerSettings = {
    file,
    driver,
    durability,
    seconds,
    ownerBytes,
    lockSeconds,
    fileBytes,
    leaseClock: leaseClock.id,
  }
  const program = options.worker ?? workerUrl()
  const thread = await openThread(program, settings)
  const followers = createFollowers((isOn) => thread.watch(isOn))
  thread.onChange(() => followers.wake())
  const store = createDatabaseStore({
    ...{ durability, followers, cipher, cacheBytes },
    call: (turn, name, ...given) => thread.call(turn, name, time(), ...given),
  })

  return {
    ...store,
    driver: thread.driver,
    async backup(to) {
      makePrivate(to)
      // Beside the worker: a large copy takes seconds, in which leases would expire.
      const copying = file === '' || file.startsWith(':') ? thread : await openThread(program, settings)
      try {
        await copying.backup(time(), to)
      } finally {
        if (copying !== thread) await copying.close()
      }
    },
    close: () => thread.close(),
  }
}
