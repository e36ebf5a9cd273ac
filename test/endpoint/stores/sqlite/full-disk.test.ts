import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import { createSqliteStore } from '../../../../src/endpoint/stores/sqlite/index.js'
import { answer } from '../../../../src/testing/index.js'
import { endpoint } from '../../server/endpoint.js'
import { describeWithSqlite, type SqliteProgram, sqliteProgram } from './program.js'

describeWithSqlite('an endpoint whose disk is full', () => {
  let program: SqliteProgram
  beforeAll(async () => {
    program = await sqliteProgram()
  })
  afterAll(() => program.remove())

  test('an endpoint whose disk is full answers 503 and keeps nothing of the request, and takes one when there is room', async () => {
    const file = program.file()
    const store = await createSqliteStore({ file, worker: program.worker, fileBytes: 400_000 })
    const served = endpoint(() => answer('Hi!'), { store })
    const create = () => served.create({ input: 'x'.repeat(40_000) })
    const kept: string[] = []
    let refused = await create()
    for (; refused.status === 200 && refused.body.status === 'completed'; refused = await create())
      kept.push(refused.body.id)
    // What was opened and could not be ended has failed, as its client was told.
    if (refused.status === 200) {
      expect(refused.body).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded' } })
      refused = await create()
    }
    expect([refused.status, refused.body.error.code]).toEqual([503, 'server_is_overloaded'])
    expect(served.errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.stringMatching(/full/) })]),
    )

    const database = await openDatabase(file)
    const count = (sql: string): unknown => database.prepare(sql).get()?.['count']
    expect(count("SELECT integrity_check = 'ok' AS count FROM pragma_integrity_check")).toBe(1)
    expect(count('SELECT count(*) AS count FROM responses WHERE head IS NOT NULL')).toBe(kept.length)
    expect(count('SELECT count(*) AS count FROM entries WHERE rid NOT IN (SELECT rid FROM responses)')).toBe(0)
    database.close()

    expect(kept.length).toBeGreaterThan(1)
    for (const id of kept)
      expect((await served.ask('GET', `/responses/${id}`)).body).toMatchObject({ status: 'completed' })
    expect((await served.ask('DELETE', `/responses/${kept[0]}`)).status).toBe(200)
    expect(await served.create({ input: 'Hi' })).toMatchObject({ status: 200, body: { status: 'completed' } })
    await served.drain()
    await store.close()
  })
})
