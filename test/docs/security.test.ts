import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIMIT_NAMES } from '../../src/cli/serve/limits.js'
import { pageOf, root } from './pages.js'

const rows = Array.from(
  pageOf('docs/security.md').matchAll(/^\| .+ \| `(test\/\S+)`: (.+) \|$/gm),
  ([, file = '', title = '']) => ({
    file,
    title,
  }),
)

test('docs/security.md names a test for every claim', () => {
  const claims = pageOf('docs/security.md').match(/^\| (?!claim |dependency |limit )[^|\n]+\|/gm) ?? []
  expect(rows.length).toBeGreaterThan(20)
  expect(rows).toHaveLength(claims.length)
})

test('docs/security.md names a test that reaches each limit of serve', () => {
  const [, section = ''] = pageOf('docs/security.md').split('\n### Each limit\n')
  const [own = ''] = section.split('\n## ')
  const named = Array.from(own.matchAll(/^\| `(\w+)` \|/gm), ([, name = '']) => name)
  expect(named.sort()).toEqual([...LIMIT_NAMES].sort())
})

test.each(rows)('docs/security.md names a test that there is: $title', ({ file, title }) => {
  expect(existsSync(`${root}${file}`), file).toBe(true)
  // A quotation mark within a title is escaped in some files.
  expect(readFileSync(`${root}${file}`, 'utf8').replaceAll("\\'", "'")).toContain(title)
})
