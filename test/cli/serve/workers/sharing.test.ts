import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OPTIONS } from '../../../../src/cli/serve/options.js'
import type { ServeOption } from '../../../../src/cli/serve/serve-option.js'
import { refusal } from '../../served.js'

const WORKERS = ['--workers', '2']
const STORE = ['--store', 'responses.db']

/** What cannot be shared: how it is typed, and the line that refuses it. */
const REFUSED: Readonly<Record<string, readonly [args: readonly string[], line: string]>> = {
  'no store': [
    ['--replay'],
    '--workers: expected only with --store or HARMONY_RESPONSES_STORE: without it, a response is known to one worker alone',
  ],
  '--model': [
    [...STORE, '--model', 'model.gguf'],
    '--model: expected without --workers: each worker would load the weights again',
  ],
  '--python': [
    [...STORE, '--replay', '--python', 'auto'],
    "--python: expected without --workers: a session of Python is one worker's, and the next response may be another's",
  ],
  '--verbose': [
    [...STORE, '--replay', '--verbose'],
    '--verbose: expected without --workers: the timelines of several workers would mix',
  ],
  'keys from standard input': [
    [...STORE, '--replay', '--seal-keys', '-'],
    '--seal-keys: expected a file with --workers, each of which reads it, got standard input',
  ],
  'a script from standard input': [
    [...STORE, '--script', '-'],
    '--script: expected a file with --workers, each of which reads it, got standard input',
  ],
}

test.each(Object.entries(REFUSED))(
  'serve --workers refuses %s by one line, and exits with 2',
  async (_, [args, line]) => {
    expect(await refusal([...args, ...WORKERS])).toEqual([2, line])
  },
)

test('serve --workers refuses every option whose row says so', () => {
  const refused = Object.entries<ServeOption>(OPTIONS).flatMap(([name, { workers }]) =>
    workers.is === 'refused' ? [`--${name}`] : [],
  )
  expect(refused.toSorted()).toEqual(
    Object.keys(REFUSED)
      .filter((name) => name.startsWith('--'))
      .toSorted(),
  )
})

test.skipIf(process.platform === 'win32')('serve --workers refuses a pipe, which can be read once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const pipe = join(folder, 'instructions')
  execFileSync('mkfifo', [pipe])
  expect(await refusal([...STORE, '--replay', '--instructions', pipe, ...WORKERS])).toEqual([
    2,
    '--instructions: expected a file with --workers, each of which reads it, got a pipe',
  ])
})

test.each(['0', '65', 'all'])('serve --workers %s is refused', async (given) => {
  const expected = `--workers: expected one of auto, or a whole number from 1 to 64, got "${given}"`
  expect(await refusal([...STORE, '--replay', '--workers', given])).toEqual([2, expected])
})
