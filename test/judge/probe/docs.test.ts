import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RULES, SCENARIOS } from '../../../src/judge/probe/index.js'
import { expectGenerated } from '../../docs/generated.js'

const docs = readFileSync(new URL('../../../docs/probe.md', import.meta.url), 'utf8')

test('docs/probe.md lists every scenario, in order, with its question', () => {
  const listed = [...docs.matchAll(/^\| `([a-z-]+)` \| (.+?) \| .+ \|$/gm)].map(([, name, asks]) => ({ name, asks }))
  expect(listed.filter(({ name }) => SCENARIOS.some((scenario) => scenario.name === name))).toEqual(
    SCENARIOS.map(({ name, asks }) => ({ name, asks })),
  )
})

test("docs/probe.md lists every rule of the probe's own with its sentence", () => {
  const rows = Object.entries(RULES).map(([rule, sentence]) => `| \`${rule}\` | ${sentence} |`)
  expectGenerated('docs/probe.md', 'rules', ['| rule | what it demands |', '|---|---|', ...rows].join('\n'))
})
