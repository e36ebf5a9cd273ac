import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageOf, root } from './pages.js'

const rows = Array.from(
  pageOf('docs/security.md').matchAll(/^\| .+ \| `(test\/\S+)`: (.+) \|$/gm),
  ([, file = '', title = '']) => ({
    file,
    title,
  }),
)

test('docs/security.md names a test for every claim', () => {
  const claims = pageOf('docs/security.md').match(/^\| (?!claim |dependency )[^|\n]+\|/gm) ?? []
  expect(rows.length).toBeGreaterThan(20)
  expect(rows).toHaveLength(claims.length)
})

test.each(rows)('docs/security.md names a test that there is: $title', ({ file, title }) => {
  expect(existsSync(`${root}${file}`), file).toBe(true)
  // A quotation mark within a title is escaped in some files.
  expect(readFileSync(`${root}${file}`, 'utf8').replaceAll("\\'", "'")).toContain(title)
})
