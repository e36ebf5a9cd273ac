import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import { migrate, versionOf } from '../../../../src/endpoint/stores/sqlite/schema.js'
import { describeWithSqlite } from './program.js'

describeWithSqlite('a new file', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'begun-at-once-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is no file of another program while another process creates its tables', async () => {
    const file = join(folder, 'responses.db')
    const [one, other] = [await openDatabase(file), await openDatabase(file)]
    let statements = 0
    /** Another process creates the tables after the first statement. */
    const watched = {
      prepare(text: string) {
        if (statements++ === 1) migrate(other)
        return one.prepare(text)
      },
    } as Database
    expect(() => versionOf(watched)).not.toThrow()
    if (statements === 1) migrate(other)
    expect(versionOf(one)).toBeGreaterThan(0)
    one.close()
    other.close()
  })
})
