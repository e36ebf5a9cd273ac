import { randomUUID } from 'node:crypto'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aString, listOf } from '../../../shared/options/checks.js'
import { isRoot, runProgram } from '../../../shared/system/platform/programs.js'
import {
  mebibytes,
  type OpenBoundary,
  type PythonBoundary,
  type PythonLimits,
  SCRATCH_BYTES,
  VARIABLES,
} from './boundary.js'
import { cgroupFolder, enterCgroup, leaveCgroup } from './cgroup.js'

/** Options of `bubblewrap`. */
export interface BubblewrapOptions {
  /** The path of the Python that runs the cells, 3.9 or newer, outside of home folders. Default `/usr/bin/python3`. */
  readonly interpreter?: string
  /** Folders that cells may read besides `/usr`, such as that of a virtual environment. Default: none. */
  readonly folders?: readonly string[]
}

const OPTIONS: OptionTable<BubblewrapOptions> = {
  interpreter: aString,
  folders: listOf(aString, 'a list of paths'),
}

/** The user in whose name root starts it: the kernel bounds no processes of root. */
const NOBODY = 65_534
const PROBE_SECONDS = 10

/**
 * Separates Python by bubblewrap (`bwrap`, 0.8 or newer) of Linux: namespaces of its own, `/usr` to read, `/mnt/data` and `/tmp`
 * in memory, and nothing else of this machine. Needs no daemon, and the rights of an ordinary user.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { bubblewrap, createPythonTool } from 'harmony-responses/tools/python'
 *
 * const boundary = bubblewrap({ interpreter: '/usr/bin/python3' })
 * const start = () => createPythonTool({ boundary }) // fails where bubblewrap does not work
 * ```
 */
export function bubblewrap(options: BubblewrapOptions = {}): PythonBoundary {
  checkOptions('bubblewrap', options, OPTIONS)
  const { interpreter = '/usr/bin/python3', folders = [] } = options
  return {
    name: 'bwrap',
    async open(limits) {
      const { how, output } = await runProgram(['bwrap', '--version'], PROBE_SECONDS)
      if (how !== undefined) throw unusable(`bwrap: ${how}. Install the package bubblewrap`)
      if (!isNewEnough(output)) throw unusable(`${output.trim()} is too old: 0.8 or newer is needed`)
      const bound = await boundOf(limits)
      const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs', '--']
      const user = isRoot() ? ['setpriv', ...ids] : []
      const sandbox = [
        ...user,
        'bwrap',
        ...mounts(limits, folders),
        '--',
        ...rlimits(limits, bound.isShared),
        interpreter,
      ]
      return {
        command: (name, args) => [...bound.enter(name), ...sandbox, ...args],
        ...(bound.end && { end: bound.end }),
        about: bound.about,
      }
    },
  }
}

/** What bounds the memory of a session. */
interface Bound extends Pick<OpenBoundary, 'end' | 'about'> {
  /** Whether it bounds that of all processes together, and their number. */
  readonly isShared: boolean
  /** Returns the command line that runs what follows it within the bound. */
  enter(name: string): readonly string[]
}

/** Returns the best that works here. */
async function boundOf(limits: PythonLimits): Promise<Bound> {
  const memory = mebibytes(limits.memoryBytes)
  const { maxProcesses } = limits
  const works = async (command: readonly string[]): Promise<boolean> =>
    (await runProgram([...command, 'true'], PROBE_SECONDS)).how === undefined
  const scope = scopeCommand(limits)
  if (await works(scope)) {
    const about = `${memory} and ${maxProcesses} processes by a cgroup of systemd`
    return { isShared: true, enter: () => scope, about }
  }
  const folder = await cgroupFolder()
  const groupOf = (name: string): string => `${folder}/${name}`
  if (folder !== undefined) {
    const probe = groupOf(`harmony-python-probe-${randomUUID()}`)
    const isBounded = await works(enterCgroup(probe, limits, OUTER_PROCESSES))
    await runProgram(leaveCgroup(probe), PROBE_SECONDS)
    if (isBounded) {
      const enter = (name: string): readonly string[] => enterCgroup(groupOf(name), limits, OUTER_PROCESSES)
      const about = `${memory} and ${maxProcesses} processes by a cgroup`
      return { isShared: true, enter, end: (name) => leaveCgroup(groupOf(name)), about }
    }
  }
  const why = 'since there is neither a systemd session nor a cgroup that it may write'
  const about = `${memory} a process and ${maxProcesses} processes by prlimit, ${why}`
  return { isShared: false, enter: () => [], about }
}

function isNewEnough(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) > 0 || Number(minor) >= 8
}

/** Returns the command that bounds a command and all that it starts, where systemd has a session of this user. */
function scopeCommand({ memoryBytes, maxProcesses }: PythonLimits): readonly string[] {
  const bounds = [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${maxProcesses + OUTER_PROCESSES}`]
  const properties = bounds.flatMap((bound) => ['--property', bound])
  return ['systemd-run', ...(isRoot() ? [] : ['--user']), '--scope', '--quiet', '--collect', ...properties, '--']
}

/** The processes of a session that are not its cells': that of bubblewrap. */
const OUTER_PROCESSES = 1

/** Returns the bounds of each process. `nproc` counts within the session's own user namespace. */
function rlimits({ memoryBytes, maxProcesses, maxOpenFiles, diskBytes }: PythonLimits, isShared: boolean): string[] {
  // Python reserves more than it uses, so that the bound is by address space only where nothing else bounds memory.
  const memory = isShared ? [] : [`--as=${memoryBytes}`]
  return [
    'prlimit',
    `--nproc=${maxProcesses}`,
    `--nofile=${maxOpenFiles}`,
    `--fsize=${diskBytes}`,
    '--core=0',
    ...memory,
    '--',
  ]
}

/** What a network needs of `/etc`. */
const NETWORK_FILES = ['resolv.conf', 'hosts', 'nsswitch.conf', 'ssl/certs', 'ca-certificates']
/** What programs in `/usr` need of it. */
const PROGRAM_FILES = ['alternatives', 'ld.so.cache', 'fonts', 'localtime', 'matplotlibrc']

function mounts({ diskBytes, network }: PythonLimits, folders: readonly string[]): readonly string[] {
  const files = [...PROGRAM_FILES, ...(network ? NETWORK_FILES : [])].map((name) => `/etc/${name}`)
  return [
    // No user namespace in it, no capability, no terminal; it ends with this process.
    ...words('--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --as-pid-1'),
    ...words('--uid 1000 --gid 1000 --hostname sandbox --clearenv'),
    ...(network ? ['--share-net'] : []),
    ...Object.entries(VARIABLES).flatMap(([name, value]) => ['--setenv', name, value]),
    ...words('--ro-bind /usr /usr'),
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...[...files, ...folders].flatMap((path) => ['--ro-bind-try', path, path]),
    ...words('--proc /proc --dev /dev'),
    ...words(`--size ${SCRATCH_BYTES} --tmpfs /dev/shm --size ${SCRATCH_BYTES} --tmpfs /tmp`),
    ...words(`--size ${diskBytes} --tmpfs /mnt/data --chdir /mnt/data`),
    // Both are in memory, and without a size.
    ...words('--remount-ro /dev --remount-ro /'),
  ]
}

function words(text: string): string[] {
  return text.split(' ')
}

function unusable(message: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', message)
}
