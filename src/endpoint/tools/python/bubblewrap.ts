import { HarmonyResponsesError } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aString, listOf } from '../../../shared/options/checks.js'
import { isRoot, runProgram } from '../../../shared/system/platform/programs.js'
import { mebibytes, type PythonBoundary, type PythonLimits, SCRATCH_BYTES, VARIABLES } from './boundary.js'

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
      const scope = scopeCommand(limits)
      const isScoped = (await runProgram([...scope, 'true'], PROBE_SECONDS)).how === undefined
      const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs', '--']
      const user = isRoot() ? ['setpriv', ...ids] : []
      const outer = [...(isScoped ? scope : []), ...user, 'bwrap', ...mounts(limits, folders), '--']
      const inner = [...rlimits(limits, isScoped), interpreter]
      const memory = mebibytes(limits.memoryBytes)
      return {
        command: (_name, args) => [...outer, ...inner, ...args],
        about: isScoped
          ? `${memory} and ${limits.maxProcesses} processes by a cgroup of systemd`
          : `${memory} a process and ${limits.maxProcesses} processes by prlimit, since there is no systemd session`,
      }
    },
  }
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
function rlimits({ memoryBytes, maxProcesses, maxOpenFiles, diskBytes }: PythonLimits, isScoped: boolean): string[] {
  // Python reserves more than it uses, so that the bound is by address space only where nothing else bounds memory.
  const memory = isScoped ? [] : [`--as=${memoryBytes}`]
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
const PROGRAM_FILES = ['alternatives', 'ld.so.cache', 'fonts', 'localtime']

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
