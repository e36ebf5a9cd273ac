import { expect, test } from 'vitest'
import { useWriteAheadLog } from '../../../src/endpoint/stores/sqlite/write-ahead-log.js'

/** A database that refuses some statements first. */
function refusing(times: number, message: string) {
  const asked: string[] = []
  const exec = (statement: string): void => {
    asked.push(statement)
    if (asked.length <= times) throw new Error(message)
  }
  return { asked, exec }
}

test('the switch to the write-ahead log is tried again while another process makes it, too', async () => {
  const database = refusing(3, 'database is locked')
  await useWriteAheadLog(database, 60)
  expect(database.asked).toEqual(new Array(4).fill('PRAGMA journal_mode = WAL'))
})

test('the switch to the write-ahead log fails once it has waited as long as it may', async () => {
  await expect(useWriteAheadLog(refusing(1, 'database is locked'), 0)).rejects.toThrow('database is locked')
})

test('the switch to the write-ahead log fails at once for any other reason', async () => {
  const database = refusing(1, 'file is not a database')
  await expect(useWriteAheadLog(database, 60)).rejects.toThrow('file is not a database')
  expect(database.asked).toHaveLength(1)
})
