import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './driver.js'

/** The time between two attempts, in milliseconds. */
const AGAIN_MS = 10

/**
 * Switches a database to its write-ahead log. Where two processes do so at once in a new file, SQLite refuses one of them
 * without waiting for its `busy_timeout`, since both hold a lock that the other waits for: a server would end at its
 * start.
 *
 * @param seconds - how long to wait for another process
 * @throws SQLite's error
 */
export async function useWriteAheadLog(database: Pick<Database, 'exec'>, seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (Date.now() >= until || !String(error).includes('database is locked')) throw error
      await wait(AGAIN_MS)
    }
  }
}
