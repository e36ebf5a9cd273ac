import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteStore } from '../../../../src/endpoint/stores/sqlite/index.js'
import { type SqliteProgram, sqliteProgram } from './program.js'

let program: SqliteProgram

beforeAll(async () => {
  program = await sqliteProgram()
})
afterAll(() => program.remove())

test('a store whose driver is not installed leaves no file behind', async () => {
  const file = program.file()
  const opened = createSqliteStore({ file, worker: program.worker, driver: 'better-sqlite3' })
  await expect(opened).rejects.toMatchObject({ code: 'bad_option', message: expect.stringContaining('better-sqlite3') })
  expect(existsSync(file)).toBe(false)
})
