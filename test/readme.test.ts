import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIAGNOSTICS } from '../src/diagnostics.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

test('the README lists every diagnostic with its sentence', () => {
  const rows = Object.entries(DIAGNOSTICS).map(
    ([code, sentence]) => `| \`${code}\` | ${sentence.replaceAll('|', '\\|')} |`,
  )
  const table = ['| code | means |', '|---|---|', ...rows].join('\n')
  const found = /<!-- diagnostics -->\n([\s\S]*)\n<!-- \/diagnostics -->/.exec(readme)?.[1]
  expect(found).toBe(table)
})

test('the README names every subpath', () => {
  const named = Object.keys(manifest.exports).filter(
    (subpath) => subpath !== './package.json' && subpath !== './sources/record',
  )
  for (const subpath of named) expect(readme).toContain(`\`harmony-responses${subpath.slice(1)}\``)
})

test('the scripts that the README names exist', () => {
  for (const [, script] of readme.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(manifest.scripts)).toContain(script)
})
