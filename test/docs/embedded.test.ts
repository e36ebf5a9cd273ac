import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importsOf } from '../../scripts/imports.mjs'
import { FRAMEWORKS } from '../clients/servers/site.mjs'
import { blockOf, expectGeneratedRows } from './generated.js'
import { pageOf, root } from './pages.js'

const PAGE = 'docs/translator.md'
const sizes: Readonly<Record<string, { readonly gzipped: number }>> = JSON.parse(
  readFileSync(`${root}sizes.json`, 'utf8'),
)
const examples = Object.entries(FRAMEWORKS).map(([name, { file }]) => ({ name, path: `examples/servers/${file}` }))

/** The lines of a file. */
const linesOf = (path: string): number => readFileSync(root + path, 'utf8').split('\n').length - 1

test('docs/translator.md has the lines, imports and sizes of the examples in other servers', () => {
  // What was measured stays.
  const measured = blockOf(pageOf(PAGE), 'embedded')
    .own.split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | ').at(-1))
  expect(measured).toHaveLength(examples.length)
  const rows = examples.map(({ name, path }, at) => {
    const names = [...importsOf(root + path).values()].flatMap((each) => [...each].map((one) => `\`${one}\``))
    const size = `${Math.round((sizes[path]?.gzipped ?? 0) / 1000)} kB`
    return `| [${name}](../${path}) | ${linesOf(path)} | ${names.join(', ')} | ${size} | ${measured[at]} |`
  })
  expectGeneratedRows(PAGE, 'embedded', rows)
})

test.each(examples)('the example of $name has at most forty lines', ({ path }) => {
  expect(linesOf(path)).toBeLessThanOrEqual(40)
})
