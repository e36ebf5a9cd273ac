import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { fakeIo } from './io.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A folder with the scripts, a file with a space in its name, and a folder. */
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'completion-'))
  for (const shell of SHELLS) writeFileSync(join(folder, `script.${shell}`), await printed('completion', shell))
  writeFileSync(join(folder, 'my stream.jsonl'), '')
  mkdirSync(join(folder, 'my notes'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function printed(...argv: readonly string[]): Promise<string> {
  const io = fakeIo()
  expect(await run(argv, io)).toBe(0)
  return io.out
}

function linesOf(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string[] {
  const { stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

/** What bash replaces its current word with, which ends at the last `=` or `:` of the line. */
function inBash(line: string): string[] {
  const program = `. ./script.bash
    [[ $(complete -p harmony-responses) =~ -F\\ ([^ ]+) ]]
    COMP_LINE=$TYPED COMP_POINT=\${#TYPED} COMP_WORDBREAKS=$' \\t\\n"><=;|&(:'
    \${BASH_REMATCH[1]} && printf '%s\\n' "\${COMPREPLY[@]}"`
  return linesOf('bash', ['--norc', '--noprofile', '-c', program], { TYPED: `harmony-responses ${line}` })
}

/** The words that fish offers, without what it says of them. */
function inFish(line: string): string[] {
  const program = 'source script.fish; complete -C "harmony-responses $TYPED"'
  return linesOf('fish', ['--no-config', '-c', program], { TYPED: line, HOME: folder }).map((each) =>
    each.replace(/\t.*/, ''),
  )
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined
const skipped = (shell: string): string =>
  isInstalled(shell) ? shell : `${shell} (skipped: ${shell} is not installed)`

/** The names of options or commands that a help lists. */
const listed = (help: string): string[] =>
  Array.from(help.matchAll(/^ {2}((?:--)?[a-z][\w-]*)/gm), ([, name = '']) => name)

describe.each([
  ['bash', inBash],
  ['fish', inFish],
] as const)('%s', (shell, complete) => {
  describe.skipIf(!isInstalled(shell))(skipped(shell), () => {
    test('every command is completed, and every option of each that its help lists', async () => {
      const commands = listed(await printed('--help')).filter((name) => !name.startsWith('--'))
      expect(complete('').toSorted()).toEqual(commands.toSorted())
      for (const command of commands) {
        const options = listed(await printed(command, '--help')).filter((name) => name.startsWith('--'))
        expect(complete(`${command} --`).toSorted(), command).toEqual(options.toSorted())
      }
    })

    test.each([
      ['se', ['serve']],
      ['serve --eff', ['--effort']],
      ['serve --effort ', ['high', 'low', 'medium']],
      ['serve --verbose --effort l', ['low']],
      ['serve --pass /v1/e', ['/v1/embeddings']],
      ['serve --port ', []],
      ['probe http://localhost --only json', ['json-schema']],
      ['completion ', ['bash', 'fish', 'zsh']],
      ['check --profile messages:l', [shell === 'bash' ? 'langchain' : 'messages:langchain']],
      ['replay --format=t', [shell === 'bash' ? 'timeline' : '--format=timeline']],
    ])('after %j the words of the table that fit are offered', (line, words) => {
      expect(complete(line).toSorted()).toEqual(words)
    })

    test('where a file is expected, files and folders are offered', () => {
      for (const line of ['check my', 'serve --config my', 'probe http://localhost --junit my']) {
        expect(
          complete(line)
            .map((name) => name.replace(/\/$/, ''))
            .toSorted(),
          line,
        ).toEqual(['my notes', 'my stream.jsonl'])
      }
    })

    test('where a folder is expected, folders are offered', () => {
      for (const line of ['corpus my', 'serve --record my']) {
        expect(
          complete(line).map((name) => name.replace(/\/$/, '')),
          line,
        ).toEqual(['my notes'])
      }
    })
  })
})

test.each(SHELLS.map((shell) => [skipped(shell), shell] as const))('%s reads its script', (_, shell) => {
  if (isInstalled(shell)) expect(linesOf(shell, ['-n', `script.${shell}`])).toEqual([])
})

test('bash completes an option that is joined to its value where = breaks no words', () => {
  const program = `. ./script.bash
    COMP_LINE=$TYPED COMP_POINT=\${#TYPED} COMP_WORDBREAKS=' '
    _harmony_responses && printf '%s\\n' "\${COMPREPLY[@]}"`
  expect(linesOf('bash', ['-c', program], { TYPED: 'harmony-responses check --profile=chat:a' })).toEqual([
    '--profile=chat:ai-sdk',
  ])
})

test('bash completes a name with an escaped space', () => {
  expect(inBash('check my\\ s')).toEqual(['my stream.jsonl'])
})

test.each([
  [['completion'], 'completion: expected one shell, got 0'],
  [['completion', 'tcsh'], 'completion: expected one of bash, zsh, fish, got "tcsh"'],
  [['completion', 'bash', 'zsh'], 'completion: expected one shell, got 2'],
])('%j exits with 2 and one line', async (argv, message) => {
  const io = fakeIo()
  expect(await run(argv, io)).toBe(2)
  expect(io).toMatchObject({ out: '', err: `harmony-responses: ${message}\n` })
})
