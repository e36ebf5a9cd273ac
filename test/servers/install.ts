import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Kind = 'vllm' | 'sglang'

/** Where environments and models are kept from one run to the next: SERVERS_DIR, or a folder that git ignores. */
export const FOLDER: string = process.env['SERVERS_DIR'] ?? fileURLToPath(new URL('.servers', import.meta.url))

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** The build for processors, wherever a registry has one. */
const TORCH = 'torch==2.13.0'
/** The environments' folders. */
const FOLDERS: Readonly<Record<Kind, string>> = { vllm: 'venv', sglang: 'venv-sglang' }

export function environmentOf(kind: Kind): string {
  return join(FOLDER, FOLDERS[kind])
}

/** The missing parts that `prepare.ts` found, for the processes of the tests. */
const FOUND = 'SERVERS_OBSTACLE'

/** The reason why no server can be installed here; undefined if none is known. */
export function obstacle(): string | undefined {
  if (process.env[FOUND] !== undefined) return process.env[FOUND]
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the servers need Linux on x64'
  if (existsSync(environmentOf('vllm'))) return undefined
  return python() === undefined ? 'the servers need Python 3.11 with venv' : undefined
}

function python(): string | undefined {
  const isRight = 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 11))'
  return ['python3.11', 'python3'].find((name) => spawnSync(name, ['-c', isRight]).status === 0)
}

/**
 * Installs a server where it is not there yet, unless the registry has no torch for processors: that for GPUs is several GB.
 *
 * @throws Error with what pip printed
 */
export function install(kind: Kind): void {
  const environment = environmentOf(kind)
  if (existsSync(join(environment, 'whole'))) return
  rmSync(environment, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  run(python() ?? 'python3.11', ['-m', 'venv', environment])
  const program = join(environment, 'bin', 'python')
  const pip = (...args: readonly string[]): string => run(program, ['-m', 'pip', 'install', '--quiet', ...args])
  if (!pip('--dry-run', '--no-deps', '--report', '-', TORCH).includes('"version": "2.13.0+cpu"')) {
    rmSync(environment, { recursive: true })
    process.env[FOUND] = `the servers need ${TORCH} for processors, and the registry has none`
    return
  }
  pip(TORCH)
  pip('--no-deps', '--requirement', join(HERE, 'requirements', `${kind}.txt`))
  const site = run(program, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']).trim()
  FINISH[kind](site, program)
  writeFileSync(join(environment, 'whole'), '')
}

const FINISH: Readonly<Record<Kind, (site: string, program: string) => void>> = {
  /** Its package has another name, but it asks for the version of `vllm`, and finds its platform by it. */
  vllm(site) {
    const folder = join(site, 'vllm-0.32.0+cpu.dist-info')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'METADATA'), 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n')
    writeFileSync(join(folder, 'RECORD'), '')
  },
  /** Leaves out packages that need a GPU, and adds sinks to attention on plain torch. */
  sglang(site, program) {
    copyFileSync(join(HERE, 'sglang', 'sglang_stubs.py'), join(site, 'sglang_stubs.py'))
    writeFileSync(join(site, 'sglang_stubs.pth'), 'import sglang_stubs\n')
    run(program, [join(HERE, 'sglang', 'patch.py'), site])
  },
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.slice(-4000)}`)
}
