import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { continuesElsewhere, killAll, refused } from '../database/served.js'
import { describeWithSqlite } from './program.js'

describeWithSqlite('serve --store', () => {
  let checkout: Checkout
  beforeAll(async () => {
    checkout = await createCheckout()
    return () => checkout.remove()
  })
  afterEach(killAll)

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a response of serve --store continues in another process after %s, and its client misses no event',
    async (signal) => {
      const file = join(checkout.folder, `${signal}.db`)
      const { first, second } = await continuesElsewhere(checkout.folder, ['--store', file], signal)
      for (const each of [file, `${file}.keys`]) expect(statSync(each).mode & 0o777).toBe(0o600)
      for (const { banner } of [first, second]) expect(banner).toContain(`${file}.keys`)
      await second.kill('SIGTERM')
    },
  )

  test.each([
    ['no database', async (file: string) => writeFileSync(file, 'this is no database'.repeat(200)), 'not a database'],
    [
      'of a newer version',
      async (file: string) => {
        copyFileSync(new URL('earlier/960f501a.db', import.meta.url), file)
        const database = await openDatabase(file)
        database.exec('PRAGMA user_version = 999')
        database.close()
      },
      'expected a file of version \\d+ or older, got version 999$',
    ],
  ])(
    'serve --store refuses a file that is %s by one line, exits with 2, and changes nothing',
    async (_, make, said) => {
      const folder = mkdtempSync(join(checkout.folder, 'refused-'))
      const file = join(folder, 'responses.db')
      await make(file)
      const before = readFileSync(file)
      const [code, lines] = await refused(checkout.folder, ['--replay', '--store', file])
      expect(lines, lines.join('\n')).toEqual([expect.stringMatching(`--store .*responses\\.db: .*${said}`)])
      expect(code).toBe(2)
      expect(readdirSync(folder)).toEqual(['responses.db'])
      expect(readFileSync(file).equals(before)).toBe(true)
    },
  )
})
