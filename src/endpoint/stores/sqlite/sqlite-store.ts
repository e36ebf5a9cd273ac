import { closable } from '../../../shared/closable.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, anything, aString, having, oneOf, that, wholeNumber } from '../../../shared/options/checks.js'
import { createWork, withPauses } from '../../../shared/slices.js'
import { createPrivateFile } from '../../../shared/system/platform/private-files.js'
import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import type { Reclaimable } from '../../flow/byte-budget.js'
import { nextTurn } from '../../flow/next-turn.js'
import { compacted } from '../compacted.js'
import { OwnersWork } from '../owners-work.js'
import type { Append, FoundResponse, ResponseStore, StoredBlock } from '../store.js'
import type { ContentCipher } from './cipher.js'
import type { Driver } from './driver.js'
import { KnownResponses, lineageOf, readResponse } from './known-responses.js'
import { isLeaseClock, type LeaseClock, machineClock } from './lease-clock.js'
import type { AppendedRow, AppendRow, FoundBlocks, Moment } from './operation-types.js'
import type { WorkerSettings } from './protocol.js'
import { createConversationReader } from './read-conversation.js'
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
  /**
   * The limit of the conversations that are kept in memory, too, so that the next request of one does not read it again, in
   * bytes. Default 134,217,728: 128 MiB.
   */
  readonly cacheBytes?: number
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
  file: aString,
  durability: oneOf('process', 'power'),
  seconds: wholeNumber(1),
  ownerBytes: wholeNumber(1),
  cacheBytes: wholeNumber(),
  fileBytes: wholeNumber(1),
  cipher: having(['encrypt', 'decrypt'], 'a cipher'),
  lockSeconds: wholeNumber(0),
  clock: aFunction,
  leaseClock: that(isLeaseClock, 'a clock: { id, seconds() }'),
  driver: oneOf('node:sqlite', 'better-sqlite3'),
  worker: anything,
}

/** How long a conversation stays in memory after its last use. */
const CACHE_SECONDS = 3600

/** A store in a file, which several processes of one machine may share. */
export interface SqliteStore extends ResponseStore {
  /** The conversations that it keeps in memory, too. On demand it forgets them, and reads them again later. */
  readonly memory: Reclaimable
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
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  checkOptions('createSqliteStore', options, SQLITE_STORE_OPTIONS, ['file'])
  const { file, durability = 'process', seconds = 2_592_000, ownerBytes = 1_073_741_824, cipher } = options
  // With fractions, unlike `unixSeconds`: what was used within one second is evicted in the order of its use.
  const { clock = () => Date.now() / 1000, lockSeconds = 5, driver, fileBytes, cacheBytes = 134_217_728 } = options
  const { leaseClock = machineClock() } = options
  makePrivate(file)
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
  const known = new KnownResponses({ most: cacheBytes, seconds: CACHE_SECONDS, clock: steadySeconds })
  const readConversation = createConversationReader(call, known, content)

  /** Keeping the responses that ended here. */
  const keeping = new OwnersWork()

  /** Keeps a response that ended here, if what it continues is known: the next request continues it. */
  function keepEnded({ ended }: AppendedRow, { lease, end }: Append): void {
    if (ended === undefined || end === undefined) return
    if (ended.previous !== undefined && known.get(ended.previous) === undefined) return
    keeping.do(lease.owner, function* (work) {
      const read = yield* readResponse(ended.row, end.finished, work)
      const previous = ended.previous && known.get(ended.previous)
      if (ended.previous === undefined || previous !== undefined) known.add([read], previous)
    })
  }

  async function find(responseId: string, owner: string): Promise<FoundResponse | undefined> {
    const found = await call({ owner }, 'find', responseId, owner, known.stampOf(responseId), time())
    if (found === undefined || found.state === 'running') return found
    if (found.content !== undefined) {
      const finished = await withPauses(content.finishedOf(found.content, responseId, owner, createWork()), nextTurn)
      return { state: 'finished', finished: compacted(finished) }
    }
    const there = known.get(found.row)
    // Forgotten while the file was asked.
    return there === undefined ? await find(responseId, owner) : { state: 'finished', finished: there.finished }
  }

  return {
    driver: thread.driver,
    durability,
    memory: known.memory,
    async open(response) {
      const { responseId, owner } = response
      const entries = content.encryptBlock(response.entries, responseId, owner, 0)
      return await call({ owner }, 'open', { ...response, entries }, time())
    },
    async append(appends) {
      const work = createWork()
      const rows: AppendRow[] = []
      for (const { lease, at, entries, end, leaseSeconds } of appends) {
        const { responseId, owner } = lease
        rows.push({
          ...{ lease, at, leaseSeconds },
          entries: entries && content.encryptBlock(entries, responseId, owner, at),
          end: end && {
            became: await withPauses(content.becameOf(end.finished, responseId, owner, work), nextTurn),
            entries: end.entries && content.encryptBlock(end.entries, responseId, owner, 0),
            freesKey: end.freesKey ?? false,
          },
        })
      }
      // Before all reading: a process that reads much renews its leases in time.
      const appended = await call('first', 'append', rows, time())
      for (const [at, row] of appended.entries()) keepEnded(row, appends[at] as Append)
      wake(appends.map(({ lease }) => lease.responseId))
      return appended.map((row) => row.appended)
    },
    claim: (claim) => call({ owner: claim.owner }, 'claim', claim, time()),
    expired: (most) => call('first', 'expired', most, time()),
    find,
    async lineage(responseId, owner) {
      await keeping.of(owner)
      const found = await call({ owner }, 'lineage', responseId, owner, time())
      if (found === undefined) return undefined
      const { state, tip, last } = found
      if (last === undefined) return { state, responses: [] }
      const there = known.get(last) ?? (await readConversation(tip, last, owner))
      return there && { state, responses: lineageOf(there) }
    },
    async findItem(itemId, owner) {
      const found = await call({ owner }, 'findItem', itemId, owner, time())
      if (found === undefined) return undefined
      const { responseId, isOutput, bytes } = found
      return { responseId, isOutput, item: content.itemOf(bytes, owner) }
    },
    findKey: (key, owner) => call({ owner }, 'findKey', key, owner),
    async entries(responseId, owner, from = 0) {
      /** Reads all present blocks, in parts. */
      async function read(at: number): Promise<FoundBlocks | undefined> {
        const blocks: StoredBlock[] = []
        for (let next = at; ; ) {
          const part = await call({ owner }, 'entries', responseId, owner, next, time())
          if (part === undefined) return undefined
          for (const block of part.blocks) blocks.push(content.decryptBlock(block, responseId, owner))
          if (part.isAll) return { ...part, blocks }
          next = endOf(blocks, next)
        }
      }
      const first = await read(from)
      if (first === undefined) return undefined
      let isLeft = false
      let leave = (): void => {}
      async function* follow(): AsyncGenerator<readonly StoredBlock[]> {
        let next = from
        let found: FoundBlocks | undefined = first
        while (found !== undefined && !isLeft) {
          const { blocks, isOver }: FoundBlocks = found
          next = endOf(blocks, next)
          if (blocks.length > 0) yield blocks
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
      const isDeleted = await call({ owner }, 'delete', responseId, owner)
      if (isDeleted) known.forget(responseId)
      wake([responseId])
      return isDeleted
    },
    consumeApprovals: (ids, owner) => call({ owner }, 'consumeApprovals', ids, owner, time()),
    async backup(to) {
      makePrivate(to)
      // Beside the worker: a large copy takes seconds, in which leases would expire.
      const copying = file === '' || file.startsWith(':') ? thread : await openThread(program, settings)
      try {
        await copying.call('first', 'backup', to)
      } finally {
        if (copying !== thread) await copying.close()
      }
    },
    close: () => thread.close(),
  }
}

/** Returns the number of entries up to the end of some blocks. */
function endOf(blocks: readonly StoredBlock[], otherwise: number): number {
  const last = blocks.at(-1)
  return last === undefined ? otherwise : last.at + last.count
}

/** SQLite creates its other files with the permissions of this one. */
function makePrivate(file: string): void {
  if (file !== '' && !file.startsWith(':')) createPrivateFile(file)
}
