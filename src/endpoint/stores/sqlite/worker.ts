import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Database, openDatabase } from './driver.js'
import { createOperations } from './operations.js'
import type { Answer, WorkerRequest, WorkerSettings } from './protocol.js'
import { migrate, versionOf } from './schema.js'
import type { TimedOperations } from './timed-operations.js'
import { useWriteAheadLog } from './write-ahead-log.js'

/*
 * The thread that waits for the disk, while the process's main thread serves clients: a lock that another process holds
 * for two seconds stalls no other response.
 */

const settings = workerData as WorkerSettings
const port = parentPort
if (port === null) throw new Error('sqlite/worker.js must run in a worker thread')

const POLL_MS = 5
/** The size of the write-ahead log after which its pages are copied into the database, and the file's limit afterwards. */
const LOG_BYTES = 64 * 1024 * 1024

let database: Database | undefined
let operations: TimedOperations | undefined
let checkFile = (): void => {}
let watch: ReturnType<typeof setInterval> | undefined
let version: unknown

function answer(given: Answer): void {
  port?.postMessage(given)
}

async function start(): Promise<void> {
  database = await openDatabase(settings.file, settings.driver)
  // Set before any statement that may find the file locked.
  database.exec(`PRAGMA busy_timeout = ${settings.lockSeconds * 1000}`)
  // Before anything is written, also into its header.
  versionOf(database)
  await useWriteAheadLog(database, settings.lockSeconds)
  database.exec(`PRAGMA synchronous = ${settings.durability === 'power' ? 'FULL' : 'NORMAL'}`)
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number }
  // SQLite's default of 1,000 pages would copy after every tenth append of a hundred streams, which then wait for the disk.
  database.exec(`PRAGMA wal_autocheckpoint = ${Math.floor(LOG_BYTES / size)}`)
  if (settings.fileBytes !== undefined) {
    database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(settings.fileBytes / size))}`)
  }
  migrate(database)
  operations = createOperations(database, settings)
  checkFile = sameFile(settings.file)
}

/** Whether another connection may have changed the file since the last call. A locked file counts as changed. */
function changed(): boolean {
  let latest: unknown
  try {
    latest = database?.prepare('PRAGMA data_version').get()?.['data_version']
  } catch {
    return true
  }
  const isChanged = latest !== version
  version = latest
  return isChanged
}

const started = start()
started.then(
  () => answer({ type: 'started', driver: database?.driver ?? 'node:sqlite' }),
  (error: unknown) => {
    // Removes the files that SQLite keeps beside an open one.
    database?.close()
    answer({ type: 'failed', message: messageOf(error), code: codeOf(error) })
  },
)

port.on('message', (request: WorkerRequest) => {
  if (request.type === 'watch') {
    clearInterval(watch)
    if (request.isOn) {
      changed()
      watch = setInterval(() => {
        if (changed()) answer({ type: 'changed' })
      }, POLL_MS)
    }
    return
  }
  if (request.type === 'close') {
    clearInterval(watch)
    started
      .then(() => database?.close())
      .catch(() => {})
      .then(() => {
        answer({ type: 'closed' })
        port.close()
      })
    return
  }
  const { id, name, time, given } = request
  started
    .then(() => {
      checkFile()
      const operation = (operations as TimedOperations)[name] as (...all: readonly unknown[]) => unknown
      return operation(time, ...given)
    })
    .then(
      (result) => answer({ type: 'done', id, result }),
      (error: unknown) => answer({ type: 'refused', id, message: messageOf(error) }),
    )
})

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/**
 * Returns a check that a path still leads to the opened file. The system keeps a deleted file for those who have opened it: all
 * that is written to it is lost with the last of them.
 *
 * @returns a function that throws if the file was deleted, moved or replaced
 */
function sameFile(file: string): () => void {
  // A process may change its folder.
  const path = file === '' || file.startsWith(':') ? undefined : resolve(file)
  const opened = identityOf(path)
  return () => {
    const now = identityOf(path)
    if (now === opened) return
    const what = now === undefined ? 'deleted or moved' : 'replaced by another file'
    throw new Error(`the database ${file} was ${what} while it was open: put it back, or start again`)
  }
}

/** @param path - undefined for a database that is no file */
function identityOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}
