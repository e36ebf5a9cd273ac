import { HarmonyResponsesError } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aString } from '../../../shared/options/checks.js'
import { runProgram } from '../../../shared/system/platform/programs.js'
import { mebibytes, type PythonBoundary, type PythonLimits, SCRATCH_BYTES, VARIABLES } from './boundary.js'

/** Options of `docker` and `podman`. */
export interface ContainerOptions {
  /** The image, which has `python3` in its PATH: best by its digest, `python@sha256:...`. It is not pulled. */
  readonly image: string
}

const OPTIONS: OptionTable<ContainerOptions> = { image: aString }

/**
 * Separates Python by Docker, as a container for each session. Needs the program `docker`, its daemon, and the image.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createPythonTool, docker } from 'harmony-responses/tools/python'
 *
 * const boundary = docker({ image: 'python:3.13-slim' })
 * const start = () => createPythonTool({ boundary }) // fails where Docker does not run, or lacks the image
 * ```
 */
export function docker(options: ContainerOptions): PythonBoundary {
  return containers('docker', options)
}

/**
 * Separates Python by Podman, as a container for each session. Needs the program `podman` and the image.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createPythonTool, podman } from 'harmony-responses/tools/python'
 *
 * const boundary = podman({ image: 'docker.io/library/python:3.13-slim' })
 * const start = () => createPythonTool({ boundary }) // fails where Podman does not run, or lacks the image
 * ```
 */
export function podman(options: ContainerOptions): PythonBoundary {
  return containers('podman', options)
}

const PROBE_SECONDS = 30

function containers(name: 'docker' | 'podman', options: ContainerOptions): PythonBoundary {
  checkOptions(name, options, OPTIONS, ['image'])
  const { image } = options
  // It would be read as an option.
  if (image.startsWith('-')) throw unusable(`${name}: expected the name of an image, got ${JSON.stringify(image)}`)
  return {
    name,
    async open(limits) {
      const { how, errors } = await runProgram([name, 'image', 'inspect', '--format', 'found', image], PROBE_SECONDS)
      if (how === 'not found') throw unusable(`${name}: not found. Install ${name}`)
      if (how !== undefined && !/no such image|not known|does not exist/i.test(errors))
        throw unusable(`${name}: ${firstLine(errors) || how}`)
      if (how !== undefined) throw unusable(`${name} has no image ${image}: ${name} pull ${image}`)
      const run = [name, ...runOptions(limits)]
      return {
        command: (session, args) => [...run, '--name', session, image, ...args],
        end: (session) => [name, 'rm', '--force', session],
        about: `${mebibytes(limits.memoryBytes)} and ${limits.maxProcesses} processes by ${name}`,
      }
    },
  }
}

/** The user and the group of a session. */
const USER = '65534:65534'

function runOptions({ memoryBytes, maxProcesses, maxOpenFiles, diskBytes, network }: PythonLimits): readonly string[] {
  const mount = (path: string, bytes: number): string[] => [
    '--tmpfs',
    `${path}:rw,nosuid,nodev,size=${bytes},mode=1777`,
  ]
  return [
    ...['run', '--rm', '--interactive', '--pull', 'never', '--log-driver', 'none', '--entrypoint', 'python3'],
    ...['--user', USER, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--read-only'],
    ...['--network', network ? 'bridge' : 'none', '--ipc', 'private', '--hostname', 'sandbox'],
    // As much with swap as without: there is none.
    ...['--memory', `${memoryBytes}`, '--memory-swap', `${memoryBytes}`, '--pids-limit', `${maxProcesses}`],
    ...['--ulimit', `nofile=${maxOpenFiles}:${maxOpenFiles}`, '--ulimit', 'core=0', '--shm-size', `${SCRATCH_BYTES}`],
    ...mount('/mnt/data', diskBytes),
    ...mount(['', 'tmp'].join('/'), SCRATCH_BYTES),
    ...['--workdir', '/mnt/data'],
    ...Object.entries(VARIABLES).flatMap(([variable, value]) =>
      variable === 'PATH' ? [] : ['--env', `${variable}=${value}`],
    ),
  ]
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

function unusable(message: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', message)
}
