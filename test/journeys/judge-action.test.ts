import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { namedBlock, root } from '../docs/pages.js'
import { CAPTURES, VERDICTS } from './captures.js'
import { writeFiles } from './installed.js'
import { cloneInto, createDesk, type Desk, env } from './project.js'

/* Runs the commands of action.yml as a runner of GitHub does, with the packed library. */

interface Step {
  readonly id?: string
  readonly uses?: string
  readonly shell?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

const action: Action = parse(readFileSync(`${root}action.yml`, 'utf8'), { strict: true, uniqueKeys: true })
const [install, check] = action.runs.steps.filter(({ run }) => run !== undefined) as [Step, Step]
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

let desk: Desk
/** A folder with captures, and what a runner gives a step: its temporary folder, where the judge is installed. */
let folder: string
let temporary: string
let count = 0

beforeAll(async () => {
  desk = await createDesk()
  folder = await desk.createFolder('workspace')
  temporary = await createTemporary(folder)
  await writeFiles(folder, CAPTURES)
  const installed = runStep(install, { version: `../harmony-responses/harmony-responses-${version}.tgz` })
  expect(installed.status, installed.log).toBe(0)
  expect(await desk.unpinned(join(temporary, 'harmony-responses'))).toEqual([])
})
afterAll(() => desk?.remove())

/** A runner's temporary folder, with the lock file that decides on the versions of what npm installs there. */
async function createTemporary(inside: string): Promise<string> {
  const created = join(inside, 'temporary')
  await mkdir(join(created, 'harmony-responses'), { recursive: true })
  await cp(join(inside, 'package-lock.json'), join(created, 'harmony-responses/package-lock.json'))
  return created
}

interface Ran {
  readonly status: number | null
  readonly log: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
  /** The lines of the log in which the runner looks for workflow commands. */
  readonly commands: readonly string[]
}

/** Runs a step with these inputs, and those that have a default, as GitHub's runner does. */
function runStep(step: Step, given: Readonly<Record<string, string>>, more: NodeJS.ProcessEnv = {}): Ran {
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, { default: value }]) => [name, value])),
    ...given,
  }
  const own = Object.entries(step.env ?? {}).map(([name, value]) => {
    return [name, value.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input: string) => inputs[input] ?? '')]
  })
  const [output, page] = ['output', 'summary'].map((name) => join(temporary, `${name}-${count++}`)) as [string, string]
  const variables = {
    ...env,
    RUNNER_TEMP: temporary,
    GITHUB_ACTION_PATH: root,
    ...more,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: page,
  }
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step.run ?? ''],
    {
      cwd: folder,
      env: { ...variables, ...Object.fromEntries(own) },
      encoding: 'utf8',
    },
  )
  const written = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const log = stdout + stderr
  return {
    status,
    log,
    summary: written(page),
    outputs: Object.fromEntries(
      written(output)
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(/=(.*)/s)),
    ),
    commands: log
      .replace(/^::stop-commands::(\S+)\n[\s\S]*?\n::\1::$/gm, '')
      .split('\n')
      .filter((line) => line.startsWith('::')),
  }
}

const checked = (files: string, more: Readonly<Record<string, string>> = {}): Ran => runStep(check, { files, ...more })

describe('action.yml', () => {
  test('no text of an input stands in a script', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run, shell } of action.runs.steps.filter((step) => step.run !== undefined)) {
      expect(run).not.toContain('${{')
      expect(shell).toBe('bash')
    }
  })

  test('every input reaches a step, and every output comes from one', () => {
    const used = [install, check].flatMap((step) => Object.values(step.env ?? {}))
    expect(used.toSorted()).toEqual(
      Object.keys(action.inputs)
        .map((name) => `\${{ inputs.${name} }}`)
        .toSorted(),
    )
    const { outputs } = checked('good.jsonl')
    expect(Object.values(action.outputs).map(({ value }) => value)).toEqual(
      Object.keys(outputs).map((name) => `\${{ steps.${check.id}.outputs.${name} }}`),
    )
  })

  test('docs/ci.md uses inputs and outputs that it has', () => {
    const { jobs } = parse(namedBlock('docs/ci.md', 'action').code)
    const steps: readonly { readonly uses?: string; readonly with?: object }[] = jobs.check.steps
    const used = steps.find(({ uses }) => uses?.includes('harmony-responses'))
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})))
    const required = Object.keys(action.inputs).filter((name) => action.inputs[name]?.required)
    expect(Object.keys(used?.with ?? {})).toEqual(expect.arrayContaining(required))
  })
})

describe('the check of action.yml', () => {
  test.each(VERDICTS)('the action, given %s, ends with %i', (capture, exitCode) => {
    const { status, commands } = checked(capture)
    expect([status, commands.length]).toEqual([exitCode, exitCode === 0 ? 0 : 1])
  })

  test('the action writes counts, and the report with the counts on the page of the run', () => {
    const { outputs, summary, log } = checked('*.jsonl')
    expect(outputs).toEqual({ streams: '2', errors: '11', warnings: '0' })
    expect(summary).toContain('| 2 | 11 | 0 |')
    for (const text of [summary, log])
      expect(text).toMatch(/damaged\.jsonl:[\s\S]*an event was lost here[\s\S]*good\.jsonl:/)
  })

  test('the action takes paths and patterns, one a line', () => {
    expect(checked('good.jsonl\n\n  temporary/../*.jsonl  \r\n').outputs).toMatchObject({ streams: '3' })
  })

  test('the action checks against a profile', () => {
    expect(checked('good.jsonl', { profile: 'client:codex' }).log).toContain('(profile client:codex)')
  })

  test('the action fails at what fail-on says', async () => {
    const lines = CAPTURES['good.jsonl'].trimEnd().split('\n')
    const named = lines.map((line) => JSON.stringify({ ...JSON.parse(line), unheard_of: 1 }))
    await writeFiles(folder, { 'warned/capture.jsonl': named.join('\n') })
    const statuses = (files: string) =>
      ['error', 'warning', 'never'].map((level) => checked(files, { 'fail-on': level }).status)
    expect(Number(checked('warned/*').outputs['warnings'])).toBeGreaterThan(0)
    expect(statuses('warned/*')).toEqual([0, 1, 0])
    expect(statuses('damaged.jsonl')).toEqual([1, 1, 0])
    expect(statuses('missing.jsonl')).toEqual([2, 2, 2])
  })
})

describe('hostile inputs of action.yml', () => {
  const MARK = 'pwned'
  const HOSTILE = [
    `$(touch ${MARK})`,
    `\`touch ${MARK}\``,
    `; touch ${MARK}`,
    `"; touch ${MARK}; "`,
    `x\ntouch ${MARK}`,
    '--help',
    '--profile=openai',
    '-',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub's syntax
    '${{ github.token }}',
    '::add-mask::x',
  ]

  const expectHarmless = async ({ status, commands, outputs }: Ran): Promise<void> => {
    expect(status).toBe(2)
    expect((await readdir(folder)).filter((name) => name.includes(MARK))).toEqual([])
    expect(commands).toEqual([expect.stringMatching(/^::error/)])
    for (const value of Object.values(outputs)) expect(value).toMatch(/^\d+$/)
  }

  test.each(HOSTILE)('a path %j is a path that is not there', (text) => expectHarmless(checked(text)))

  test.each(HOSTILE)('a profile %j is no profile', (text) => expectHarmless(checked('good.jsonl', { profile: text })))

  test.each(HOSTILE)('%j is no level of fail-on', (text) => expectHarmless(checked('good.jsonl', { 'fail-on': text })))

  test.each([
    ...HOSTILE,
    'https://example.com/x.tgz',
    'git+ssh://x/y',
    '../missing.tgz',
    'latest',
    '1.0.0 --registry=x',
  ])('%j is no version', (text) => expectHarmless(runStep(install, { version: text })))

  test('a file whose name is an option is checked as a file', async () => {
    await writeFiles(folder, { '--json': CAPTURES['good.jsonl'], '-': CAPTURES['damaged.jsonl'] })
    expect(checked('--json').log).toContain('0 violations')
    expect([checked('--json').status, checked('-').status]).toEqual([0, 1])
  })

  test('a capture and its name write no workflow command, and do not end the report on the page', async () => {
    const text = '\n::error::owned\n````\n# owned'
    const [first = '', ...others] = CAPTURES['damaged.jsonl'].split('\n')
    const event = JSON.stringify({ ...JSON.parse(first), type: `response.created${text}` })
    const lines = [event, ...others].join('\n')
    await writeFiles(folder, { '::error::owned': lines, 'hostile/b': 'x', 'hostile/`````': text })
    const { commands, summary } = checked('::error::owned\nhostile/*')
    expect(commands).toEqual([expect.stringMatching(/^::error title=harmony-responses check::/)])
    expect(summary).toContain('\n::error::owned:\n')
    const [fence = ''] = /^`{3,}(?=text$)/m.exec(summary) ?? []
    const inside = summary.slice(summary.indexOf(`${fence}text`) + fence.length)
    expect(inside.split(fence)).toHaveLength(2)
  })
})

test('without a version, the action builds and packs what it is a part of', async () => {
  const path = await desk.createFolder('action')
  const clone = await cloneInto(path)
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  const variables = { GITHUB_ACTION_PATH: clone, RUNNER_TEMP: await createTemporary(path) }
  const installed = runStep(install, {}, variables)
  expect(installed.status, installed.log).toBe(0)
  expect(runStep(check, { files: 'good.jsonl' }, variables)).toMatchObject({ status: 0, outputs: { streams: '1' } })
})
