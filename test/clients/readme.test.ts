import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TABLE, table } from './table.js'

test("the README's table says what the clients' tests hold them to", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(TABLE.exec(readme)?.[0]).toBe(table(() => true))
})
