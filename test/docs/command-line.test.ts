import { expect, test } from 'vitest'
import { check } from '../../src/cli/check-command.js'
import { explain } from '../../src/cli/explain-command.js'
import { probe } from '../../src/cli/probe-command.js'
import { prompt } from '../../src/cli/prompt-command.js'
import { replay } from '../../src/cli/replay-command.js'
import { run } from '../../src/cli/run.js'
import { store } from '../../src/cli/store-command.js'
import { fakeIo } from '../cli/io.js'
import { expectGenerated } from './generated.js'
import { optionTable } from './option-table.js'
import { pageOf } from './pages.js'

test.each([
  ['docs/command-line.md', replay],
  ['docs/command-line.md', check],
  ['docs/command-line.md', explain],
  ['docs/command-line.md', prompt],
  ['docs/command-line.md', store],
  ['docs/probe.md', probe],
])('%s has every option of a command as the help says', (page, { name, options }) => {
  expectGenerated(page, `options of ${name}`, optionTable(options))
})

test('docs/command-line.md lists every command, and says what its exit codes mean', async () => {
  const io = fakeIo()
  await run(['--help'], io)
  const commands = Array.from(io.out.matchAll(/^ {2}([a-z]+)/gm), ([, name]) => name)
  const [listed, exits] = ['| command | |', '| command | 0 |'].map((head) => {
    const [, rows = ''] = pageOf('docs/command-line.md').split(head)
    return Array.from(rows.split('\n\n', 1)[0]?.matchAll(/^\| `([a-z]+)/gm) ?? [], ([, name]) => name)
  })
  expect([listed, exits]).toEqual([commands, commands])
})
