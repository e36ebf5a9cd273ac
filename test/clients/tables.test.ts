import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tables } from './table.js'

test.each(tables)("the table of $page at $place matches what the clients' tests assert", ({ page, place, text }) => {
  const found = place.exec(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'))?.[0]
  expect(found).toBe(text(() => true))
})
