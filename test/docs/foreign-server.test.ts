import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REFUSED, ROWS, type Row } from '../foreign/rows.js'
import { expectGeneratedRows } from './generated.js'
import { pageOf, root } from './pages.js'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const lineOf = ({ name, model, breaks, loses }: Row): string =>
  `| \`${name}\` | \`${cell(model)}\` | ${breaks.length === 0 ? 'none' : breaks.join(', ')} | ${cell(loses)} |`

test('docs/testing.md has the faults of the reference server', () => {
  expectGeneratedRows('docs/testing.md', 'faults', [...ROWS, REFUSED].map(lineOf))
})

test('docs/testing.md shows the hook of examples/foreign-server/server.py', () => {
  const server = readFileSync(`${root}examples/foreign-server/server.py`, 'utf8')
  const [, shown = ''] = /```python\n([\s\S]*?)```/.exec(pageOf('docs/testing.md')) ?? []
  // Without annotations, blank lines and comments.
  const lines = (text: string): string[] =>
    text
      .split('\n')
      .map((line) => line.replace(/ {2}#.*|: list\[int\]/, '').trim())
      .filter((line) => line !== '')
  expect(lines(shown).length).toBeGreaterThan(7)
  for (const line of lines(shown))
    expect(lines(server.replaceAll('api_server.create', 'create').replaceAll('RETURN', '200002'))).toContain(line)
})
