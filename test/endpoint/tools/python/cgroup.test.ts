import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { cgroupFolder, enterCgroup, leaveCgroup } from '../../../../src/endpoint/tools/python/cgroup.js'
import { bubblewrap } from '../../../../src/endpoint/tools/python/index.js'
import { NO_BUBBLEWRAP } from '../../../support/bubblewrap.js'

/* Folders with plain files, which take the place of the kernel's: they bound nothing. */
let root: string
let self: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroup-'))
  self = join(root, 'self')
  onTestFinished(() => rmSync(root, { recursive: true }))
})

function group(path: string, controllers: string): string {
  const folder = join(root, path)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'cgroup.subtree_control'), controllers)
  return folder
}

const LIMITS = { memoryBytes: 1_000_000, maxProcesses: 24 }
const started = ([file = '', ...args]: readonly string[]) => spawnSync(file, args, { encoding: 'utf8' })

describe('the folder of cgroups', () => {
  test('is that beside the own group, with the controllers that it lacks', async () => {
    const folder = group('system.slice/responses.service', 'cpu memory\n')
    writeFileSync(self, '0::/system.slice/responses.service/serve\n')
    expect(await cgroupFolder(root, self)).toBe(folder)
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8')).toBe('+pids')
  })

  test('stays as it is where it has both', async () => {
    const folder = group('init.scope', 'cpu memory pids\n')
    writeFileSync(self, '0::/init.scope/serve\n')
    expect(await cgroupFolder(root, self)).toBe(folder)
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8')).toBe('cpu memory pids\n')
  })

  test.each([
    ['the root of a container', '0::/\n'],
    ['cgroups of version 1', '4:memory:/a/b\n3:pids:/a/b\n'],
    ['a group that is not there', '0::/nowhere/serve\n'],
  ])('there is none for %s', async (_, text) => {
    group('.', 'memory pids')
    writeFileSync(self, text)
    expect(await cgroupFolder(root, self)).toBeUndefined()
  })

  test('there is none where nothing tells the own group', async () => {
    expect(await cgroupFolder(root, join(root, 'absent'))).toBeUndefined()
  })
})

describe('a cgroup', () => {
  test('bounds a program before it starts, which keeps its process and its arguments', () => {
    const folder = join(root, 'session')
    const { stdout } = started([...enterCgroup(folder, LIMITS, 1), 'sh', '-c', 'echo $$ "$@"', 'sh', 'a b', '$x'])
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim()
    expect([read('memory.max'), read('pids.max')]).toEqual(['1000000', '25'])
    expect(stdout).toBe(`${read('cgroup.procs')} a b $x\n`)
  })

  test('that cannot be bounded starts nothing', () => {
    const { status, stdout } = started([...enterCgroup(join(root, 'no', 'session'), LIMITS, 1), 'echo', 'ran'])
    expect([status === 0, stdout]).toEqual([false, ''])
  })

  test('is removed, also one that is made late', () => {
    const [early, late] = ['early', 'late'].map((name) => join(root, name)) as [string, string]
    mkdirSync(early)
    // The kernel's file: a plain one would stay in the folder.
    writeFileSync(join(root, 'kill'), '')
    const script = leaveCgroup('').map((word) => word.replace('"$0/cgroup.kill"', `${root}/kill`))
    expect(started([...script.slice(0, 3), early]).status).toBe(0)
    expect(readFileSync(join(root, 'kill'), 'utf8')).toBe('1\n')
    const making = started(['sh', '-c', `(sleep 0.3; mkdir ${late}) & "$@"`, 'sh', ...script.slice(0, 3), late])
    expect(making.status).toBe(0)
  })
})

/** What `serve` prints of the bound, with a program in place of `systemd-run`. */
async function aboutWith(systemdRun: string): Promise<string> {
  writeFileSync(join(root, 'systemd-run'), `#!/bin/sh\n${systemdRun}\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env['PATH'] = `${root}:${PATH}`
  try {
    const limits = { ...LIMITS, memoryBytes: 268_435_456, maxOpenFiles: 100, diskBytes: 8_388_608, network: false }
    return (await bubblewrap().open(limits)).about
  } finally {
    process.env['PATH'] = PATH
  }
}

describe.skipIf(NO_BUBBLEWRAP !== undefined)('what bounds a session is said', () => {
  test('of systemd, where it has a session', async () => {
    const about = await aboutWith('while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    expect(about).toBe('256 MiB and 24 processes by a cgroup of systemd')
  })

  test('of prlimit, with what it does not bound, where there is neither systemd nor a cgroup', async () => {
    const about = await aboutWith('exit 1')
    const bound =
      (await cgroupFolder()) === undefined ? /^256 MiB a process and 24 processes by prlimit, since/ : /by a cgroup$/
    expect(about).toMatch(bound)
  })
})
