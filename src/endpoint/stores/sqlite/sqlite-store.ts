import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { closable } from '../../../shared/closable.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, anything, aString, having, oneOf, wholeNumber } from '../../../shared/options/checks.js'
import type { ResponseStore, StoredBlock } from '../store.js'
import type { ContentCipher } from './cipher.js'
import type { Driver } from './driver.js'
import type { AppendRow, FoundBlocks } from './operation-types.js'
import type { WorkerSettings } from './protocol.js'
import { openThread, workerUrl } from './store-thread.js'
import { contentOf } from './stored-content.js'

export interface SqliteStoreOptions {
  /** The file of the database. If missing, it is created, readable by its owner only. */
  readonly file: string
  /**
   * The events that an acknowledged append survives: `process`, the end of every process; `power`, also a power
   * failure, at the price of a disk write for each step. Default `process`.
   */
  readonly durability?: 'process' | 'power'
  /** How long a conversation is kept after its last use, in seconds. Default 2,592,000: 30 days. */
  readonly seconds?: number
  /**
   * The limit of one owner's conversations, in bytes, above which the least recently used are evicted. Default
   * 1,073,741,824: 1 GiB.
   */
  readonly ownerBytes?: number
  /** The limit of the file, in bytes, above which writes fail. Default: the disk's. */
  readonly fileBytes?: number
  /** Encrypts content at rest: `createContentCipher(keys)`. Default: no encryption. */
  readonly cipher?: ContentCipher
  /** How long to wait for a lock of another process, in seconds. Default 5. */
  readonly lockSeconds?: number
  /** Unix time in seconds, for leases and ages. Default: the system's. */
  readonly clock?: () => number
  /** The SQLite driver. Default: `node:sqlite` if Node has it (22.13), else the package `better-sqlite3`. */
  readonly driver?: Driver
  /** The location of its worker's program, for bundlers that move files: `stores/sqlite/worker.js` of this package. */
  readonly worker?: URL
}

const SQLITE_STORE_OPTIONS: OptionTable<SqliteStoreOptions> = {
  file: aString,
  durability: oneOf('process', 'power'),
  seconds: wholeNumber(1),
  ownerBytes: wholeNumber(1),
  fileBytes: wholeNumber(1),
  cipher: having(['encrypt', 'decrypt'], 'a cipher'),
  lockSeconds: wholeNumber(0),
  clock: aFunction,
  driver: oneOf('node:sqlite', 'better-sqlite3'),
  worker: anything,
}

/** A store in a file, which several processes of one machine may share. */
export interface SqliteStore extends ResponseStore {
  /** The driver that opened the file. */
  readonly driver: Driver
  /** Copies the database, while it is in use, into a new file, readable by its owner only. */
  backup(file: string): Promise<void>
  /** Ends its worker, after the running operations. */
  close(): Promise<void>
}

/**
 * Opens a store in a SQLite database: its content survives the process, and other processes can continue with the same
 * file.
 *
 * @throws HarmonyResponsesError `bad_option`; SQLite's error for a file that it cannot open
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  checkOptions('createSqliteStore', options, SQLITE_STORE_OPTIONS, ['file'])
  const { file, durability = 'process', seconds = 2_592_000, ownerBytes = 1_073_741_824, cipher } = options
  // With fractions, unlike `unixSeconds`: what was used within one second is evicted in the order of its use.
  const { clock = () => Date.now() / 1000, lockSeconds = 5, driver, fileBytes } = options
  makePrivate(file)
  const settings: WorkerSettings = { file, driver, durability, seconds, ownerBytes, lockSeconds, fileBytes }
  const thread = await openThread(options.worker ?? workerUrl(), settings)
  const content = contentOf(cipher)
  /** The callbacks that wait for an entry, by response. */
  const followers = new Map<string, Set<() => void>>()
  thread.onChange(() => wake(followers.keys()))

  function wake(responseIds: Iterable<string>): void {
    for (const id of [...responseIds]) for (const resolve of [...(followers.get(id) ?? [])]) resolve()
  }

  function wait(responseId: string, leaving: (leave: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const waiting = followers.get(responseId) ?? new Set()
      const done = (): void => {
        if (!waiting.delete(done)) return
        if (waiting.size === 0) followers.delete(responseId)
        if (followers.size === 0) thread.watch(false)
        resolve()
      }
      if (followers.size === 0) thread.watch(true)
      followers.set(responseId, waiting)
      waiting.add(done)
      leaving(done)
    })
  }

  const { call } = thread
  return {
    driver: thread.driver,
    durability,
    async open(response) {
      const { responseId, owner } = response
      const entries = content.encryptBlock(response.entries, responseId, owner, 0)
      return await call('open', { ...response, entries }, clock())
    },
    async append(appends) {
      const rows = appends.map(({ lease, at, entries, end, leaseSeconds }): AppendRow => {
        const { responseId, owner } = lease
        return {
          ...{ lease, at, leaseSeconds },
          entries: entries && content.encryptBlock(entries, responseId, owner, at),
          end: end && {
            became: content.becameOf(end.finished, responseId, owner),
            entries: end.entries && content.encryptBlock(end.entries, responseId, owner, 0),
            freesKey: end.freesKey ?? false,
          },
        }
      })
      const appended = await call('append', rows, clock())
      wake(appends.map(({ lease }) => lease.responseId))
      return appended
    },
    claim: (claim) => call('claim', claim, clock()),
    expired: (most) => call('expired', most, clock()),
    async find(responseId, owner) {
      const found = await call('find', responseId, owner, clock())
      const [became] = found?.responses ?? []
      if (found === undefined) return undefined
      if (became === undefined) return { state: 'running' }
      return { state: 'finished', finished: content.finishedOf(became, became.responseId, owner) }
    },
    async lineage(responseId, owner) {
      const found = await call('lineage', responseId, owner, clock())
      if (found === undefined) return undefined
      const responses = found.responses.map((became) => content.finishedOf(became, became.responseId, owner))
      return { state: found.state, responses }
    },
    async findItem(itemId, owner) {
      const found = await call('findItem', itemId, owner, clock())
      if (found === undefined) return undefined
      const { responseId, isOutput, bytes } = found
      return { responseId, isOutput, item: content.itemOf(bytes, owner) }
    },
    findKey: (key, owner) => call('findKey', key, owner),
    async entries(responseId, owner, from = 0) {
      const read = (at: number): Promise<FoundBlocks | undefined> => call('entries', responseId, owner, at, clock())
      const first = await read(from)
      if (first === undefined) return undefined
      let isLeft = false
      let leave = (): void => {}
      async function* follow(): AsyncGenerator<readonly StoredBlock[]> {
        let next = from
        let found: FoundBlocks | undefined = first
        while (found !== undefined && !isLeft) {
          const { blocks, isOver }: FoundBlocks = found
          const last = blocks.at(-1)
          if (last !== undefined) {
            next = last.at + last.count
            yield blocks.map((block) => content.decryptBlock(block, responseId, owner))
          }
          if (isOver || isLeft) return
          // Registered before the query, so that no write in between is missed.
          const woken = wait(responseId, (done) => {
            leave = done
          })
          found = await read(next)
          if (found !== undefined && found.blocks.length === 0 && !found.isOver && !isLeft) {
            await woken
            if (!isLeft) found = await read(next)
          } else leave()
        }
      }
      return closable(follow(), () => {
        isLeft = true
        leave()
      })
    },
    async delete(responseId, owner) {
      const isDeleted = await call('delete', responseId, owner)
      wake([responseId])
      return isDeleted
    },
    consumeApprovals: (ids, owner) => call('consumeApprovals', ids, owner, clock()),
    async backup(to) {
      makePrivate(to)
      await call('backup', to)
    },
    close: () => thread.close(),
  }
}

/** SQLite creates its other files with the permissions of this one. */
function makePrivate(file: string): void {
  if (file === '' || file.startsWith(':') || existsSync(file)) return
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}
