import { renameSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteStore } from '../../../../src/endpoint/stores/sqlite/index.js'
import { answer } from '../../../../src/testing/index.js'
import { endpoint } from '../../server/endpoint.js'
import { describeWithSqlite, type SqliteProgram, sqliteProgram } from './program.js'

describeWithSqlite('an endpoint whose database is deleted', () => {
  let program: SqliteProgram
  beforeAll(async () => {
    program = await sqliteProgram()
  })
  afterAll(() => program.remove())

  test('an endpoint whose database is deleted answers 503, and says so once until it is back', async () => {
    const file = program.file()
    const store = await createSqliteStore({ file, worker: program.worker })
    const served = endpoint(() => answer('Hi!'), { store })
    const { body } = await served.create({ input: 'Hi' })
    const statuses = async () => [
      (await served.create({ input: 'Hi' })).status,
      (await served.create({ input: 'Hi', previous_response_id: body.id })).status,
      (await served.ask('GET', `/responses/${body.id}`)).status,
    ]
    const told = () => served.errors.map((error) => (error as Error).message)
    const deleted = `the database ${file} was deleted or moved while it was open: put it back, or start again`
    renameSync(file, `${file}.moved`)
    expect(await statuses()).toEqual([503, 503, 503])
    expect(told()).toEqual([deleted])
    renameSync(`${file}.moved`, file)
    expect(await statuses()).toEqual([200, 200, 200])
    renameSync(file, `${file}.moved`)
    expect(await statuses()).toEqual([503, 503, 503])
    expect(new Set(told())).toEqual(new Set([deleted]))
    renameSync(`${file}.moved`, file)
    await served.drain()
    await store.close()
  })
})
