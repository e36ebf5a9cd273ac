import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { closable } from '../../closable.js'
import { HarmonyResponsesError } from '../../errors.js'
import { checkOptions, type OptionTable } from '../../options/check-options.js'
import { aFunction, anything, aString, having, oneOf, wholeNumber } from '../../options/checks.js'
import type { InputItem } from '../../responses/input-items.js'
import type { EntryBlock, FinishedResponse, ResponseStore, StoredBlock } from '../store.js'
import type { ContentCipher } from './cipher.js'
import type { Driver } from './driver.js'
import type { AppendRow, Became, FoundBlocks, Operations } from './operations.js'
import type { Answer, Asked, WorkerSettings } from './protocol.js'

export interface SqliteStoreOptions {
  /** The file of the database. It is made, readable by its owner alone, if it is not there. */
  readonly file: string
  /**
   * What an append survives that was acknowledged: `process`, the end of every process; `power`, that of the machine, at the price
   * of a write to the disk for each step. Default `process`.
   */
  readonly durability?: 'process' | 'power'
  /** How long a conversation is kept after it was last used, in seconds. Default 2,592,000: 30 days. */
  readonly seconds?: number
  /** How many bytes one owner's conversations may have: over it, the least recently used go. Default 1,073,741,824: 1 GiB. */
  readonly ownerBytes?: number
  /** How large the file may become, in bytes: then nothing can be written. Default: as large as the disk. */
  readonly fileBytes?: number
  /** Encrypts content at rest: `createContentCipher(keys)`. Default: it is kept as it is. */
  readonly cipher?: ContentCipher
  /** How long a lock of another process is waited for, in seconds. Default 5. */
  readonly lockSeconds?: number
  /** Unix time in seconds: leases and ages are counted by it. Default: the system's. */
  readonly clock?: () => number
  /** Which SQLite. Default: `node:sqlite` where Node has it (22.13), else the package `better-sqlite3`. */
  readonly driver?: Driver
  /** Where the program of its worker is, for bundlers that move files: `stores/sqlite/worker.js` of this package. */
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
  /** What opened the file. */
  readonly driver: Driver
  /** Copies the database into a file that is not there yet, while it is in use. Its owner alone can read it. */
  backup(file: string): Promise<void>
  /** Ends its worker, after the operations that are under way. */
  close(): Promise<void>
}

/**
 * Opens a store in a SQLite database: what is kept survives the process, and other processes on the same file go on with it.
 *
 * @throws HarmonyResponsesError `bad_option`; what SQLite says of a file that it cannot open
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  checkOptions('createSqliteStore', options, SQLITE_STORE_OPTIONS, ['file'])
  const { file, durability = 'process', seconds = 2_592_000, ownerBytes = 1_073_741_824, cipher } = options
  const { clock = () => Date.now() / 1000, lockSeconds = 5, driver, fileBytes } = options
  makePrivate(file)
  const settings: WorkerSettings = { file, driver, durability, seconds, ownerBytes, lockSeconds, fileBytes }
  const thread = await openThread(options.worker ?? workerUrl(), settings)
  const content = contentOf(cipher)
  /** What waits for an entry, by response. */
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
          // Before it is asked: what comes in between is not missed.
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

/** Content as it is kept: encrypted for its place, if there is a cipher. */
function contentOf(cipher: ContentCipher | undefined) {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const encrypt = (bytes: Uint8Array, ...place: readonly (string | number)[]): Uint8Array =>
    cipher === undefined ? bytes : cipher.encrypt(bytes, JSON.stringify(place))
  const decrypt = (bytes: Uint8Array, ...place: readonly (string | number)[]): Uint8Array =>
    cipher === undefined ? bytes : cipher.decrypt(bytes, JSON.stringify(place))
  const idOf = (item: InputItem): string | null => {
    const { id } = item as { readonly id?: unknown }
    return typeof id === 'string' ? id : null
  }
  return {
    encryptBlock({ count, bytes }: EntryBlock, responseId: string, owner: string, at: number): EntryBlock {
      return { count, bytes: encrypt(bytes, 'entries', owner, responseId, at) }
    },
    decryptBlock({ at, count, bytes }: StoredBlock, responseId: string, owner: string): StoredBlock {
      return { at, count, bytes: decrypt(bytes, 'entries', owner, responseId, at) }
    },
    /** The items apart, so that each is found by its id and none is kept twice. */
    becameOf({ response, added, history }: FinishedResponse, responseId: string, owner: string): Became {
      const head = { response: { ...response, output: [] }, history }
      const partOf = (isOutput: boolean) => (item: InputItem) => {
        const itemId = idOf(item)
        return { itemId, isOutput, bytes: encrypt(encoder.encode(JSON.stringify(item)), 'item', owner) }
      }
      return {
        head: encrypt(encoder.encode(JSON.stringify(head)), 'response', owner, responseId),
        parts: [...added.map(partOf(false)), ...(response.output as readonly InputItem[]).map(partOf(true))],
      }
    },
    finishedOf({ head, parts }: Became, responseId: string, owner: string): FinishedResponse {
      const { response, history } = JSON.parse(decoder.decode(decrypt(head, 'response', owner, responseId)))
      const added: InputItem[] = []
      const output: InputItem[] = []
      for (const { isOutput, bytes } of parts) {
        ;(isOutput ? output : added).push(this.itemOf(bytes, owner))
      }
      return { response: { ...response, output }, added, history }
    },
    /** Of whichever response has it: a copy of one that was given takes the place of a client's. */
    itemOf(bytes: Uint8Array, owner: string): InputItem {
      return JSON.parse(decoder.decode(decrypt(bytes, 'item', owner)))
    },
  }
}

/** SQLite makes its other files as it finds this one. */
function makePrivate(file: string): void {
  if (file === '' || file.startsWith(':') || existsSync(file)) return
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

/** Beside this file; or, where a bundler has moved this one into a chunk, where its entry is. */
function workerUrl(): URL {
  const places = [
    './worker.js',
    './stores/sqlite/worker.js',
    '../stores/sqlite/worker.js',
    '../../stores/sqlite/worker.js',
  ]
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => url.protocol === 'file:' && existsSync(url)) ?? (urls[0] as URL)
}

interface Thread {
  readonly driver: Driver
  call<Name extends keyof Operations>(
    name: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>>
  watch(isOn: boolean): void
  onChange(listener: () => void): void
  close(): Promise<void>
}

/** A worker that has opened the file. */
async function openThread(program: URL, settings: WorkerSettings): Promise<Thread> {
  const worker = new Worker(program, { workerData: settings })
  const calls = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }
  >()
  let count = 0
  let isClosed = false
  let changed = (): void => {}
  let closed = (): void => {}
  const over = new Promise<void>((resolve) => {
    closed = resolve
  })

  function failAll(error: Error): void {
    isClosed = true
    for (const { reject } of calls.values()) reject(error)
    calls.clear()
    closed()
  }

  const driver = await new Promise<Driver>((resolve, reject) => {
    worker.on('message', (answer: Answer) => {
      if (answer.type === 'started') resolve(answer.driver)
      else if (answer.type === 'failed') {
        const isOption = answer.code === 'bad_option'
        reject(isOption ? new HarmonyResponsesError('bad_option', answer.message) : new Error(answer.message))
        void worker.terminate()
      } else if (answer.type === 'changed') changed()
      else if (answer.type === 'closed') closed()
      else {
        const call = calls.get(answer.id)
        calls.delete(answer.id)
        // The process may end while nothing waits for it.
        if (calls.size === 0) worker.unref()
        // The protocol pairs the answer with its call by id, which types cannot.
        if (answer.type === 'done') call?.resolve(answer.result as never)
        else call?.reject(new Error(answer.message))
      }
    })
    worker.on('error', (error) => {
      reject(error)
      failAll(error instanceof Error ? error : new Error(String(error)))
    })
    worker.on('exit', () => {
      reject(new Error('the worker of the store has ended'))
      failAll(new Error('the store is closed'))
    })
  })
  worker.unref()
  const send = (asked: Asked): void => worker.postMessage(asked)

  return {
    driver,
    call(name, ...given) {
      if (isClosed) return Promise.reject(new Error('the store is closed'))
      return new Promise((resolve, reject) => {
        count += 1
        calls.set(count, { resolve: resolve as (result: never) => void, reject })
        worker.ref()
        send({ type: 'call', id: count, name, given })
      })
    },
    watch(isOn) {
      if (!isClosed) send({ type: 'watch', isOn })
    },
    onChange(listener) {
      changed = listener
    },
    async close() {
      if (isClosed) return
      worker.ref()
      send({ type: 'close' })
      await over
      isClosed = true
      await worker.terminate()
    },
  }
}
