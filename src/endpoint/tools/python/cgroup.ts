import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PythonLimits } from './boundary.js'

/** What has to be bounded, by the names of their controllers. */
const CONTROLLERS = ['memory', 'pids'] as const

/**
 * Returns the folder of the cgroup (version 2) in which groups beside that of this process can be made: a service whose unit
 * has `Delegate` and `DelegateSubgroup`, or a container that may write its cgroups.
 *
 * @param root - where cgroups are mounted
 * @param self - the file that names the group of this process
 * @returns undefined if there is none, or this process may not change it
 */
export async function cgroupFolder(
  root: string = '/sys/fs/cgroup',
  self: string = '/proc/self/cgroup',
): Promise<string | undefined> {
  try {
    const [, own] = /^0::\/(.+)$/m.exec(await readFile(self, 'utf8')) ?? []
    // A group with processes, as the root of a container is, bounds none within it.
    if (own === undefined) return undefined
    const folder = join(root, dirname(own))
    const file = join(folder, 'cgroup.subtree_control')
    const given = (await readFile(file, 'utf8')).trim().split(' ')
    const missing = CONTROLLERS.filter((name) => !given.includes(name))
    if (missing.length > 0) await writeFile(file, missing.map((name) => `+${name}`).join(' '))
    return folder
  } catch {
    return undefined
  }
}

/** Makes a group, bounds it, joins it, and goes on as another program. A system without swap has no bound of it. */
const ENTER = `mkdir "$0" && echo "$1" >"$0/memory.max" && echo "$2" >"$0/pids.max" &&
if [ -e "$0/memory.swap.max" ]; then echo 0 >"$0/memory.swap.max"; fi && echo $$ >"$0/cgroup.procs" && shift 2 && exec "$@"`

/** Ends all processes of a group, and removes it once they have ended. It may not be made yet. */
const LEAVE = `echo 1 >"$0/cgroup.kill"; for _ in $(seq 100); do rmdir "$0" && exit; sleep 0.1; done; exit 1`

/**
 * Returns the command line that runs what follows it in a group of its own.
 *
 * @param group - the folder of the group
 * @param outer - the number of processes that are not the session's
 */
export function enterCgroup(
  group: string,
  { memoryBytes, maxProcesses }: Pick<PythonLimits, 'memoryBytes' | 'maxProcesses'>,
  outer: number,
): readonly string[] {
  return ['sh', '-c', ENTER, group, `${memoryBytes}`, `${maxProcesses + outer}`]
}

/** Returns the command line that ends a group. */
export function leaveCgroup(group: string): readonly string[] {
  return ['sh', '-c', LEAVE, group]
}
