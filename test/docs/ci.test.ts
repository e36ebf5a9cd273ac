import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { parse } from 'yaml'
import { expectGenerated } from './generated.js'
import { root } from './pages.js'

interface Described {
  readonly description: string
  readonly required?: boolean
  readonly default?: string
}

test('docs/ci.md has the inputs and outputs of action.yml', () => {
  const {
    inputs,
    outputs,
  }: Record<'inputs' | 'outputs', Readonly<Record<string, Described>>> = parse(
    readFileSync(`${root}action.yml`, 'utf8'),
  )
  const rowsOf = (kind: string, named: Readonly<Record<string, Described>>): string[] =>
    Object.entries(named).map(([name, { description, required, default: value }]) => {
      const without = required ? 'required' : value ? `\`${value}\`` : ''
      return `| ${kind} | \`${name}\` | ${without} | ${description} |`
    })
  const head = ['| | | default | |', '| --- | --- | --- | --- |']
  expectGenerated(
    'docs/ci.md',
    'action inputs',
    [...head, ...rowsOf('input', inputs), ...rowsOf('output', outputs)].join('\n'),
  )
})
