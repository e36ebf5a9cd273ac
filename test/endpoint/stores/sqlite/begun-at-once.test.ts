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

  test.each([1, 2])(
    'is no file of another program if another process creates its tables after %i statements',
    async (after) => {
      const file = join(folder, `${after}.db`)
      const [one, other] = [await openDatabase(file), await openDatabase(file)]
      let statements = 0
      const watched = {
        prepare(text: string) {
          if (statements++ === after) migrate(other)
          return one.prepare(text)
        },
      } as Database
      expect(() => versionOf(watched)).not.toThrow()
      if (statements <= after) migrate(other)
      expect(versionOf(one)).toBeGreaterThan(0)
      one.close()
      other.close()
    },
  )
})
