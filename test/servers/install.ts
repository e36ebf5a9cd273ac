import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deleteMade } from './delete-made.js'
import { fingerprintOf } from './fingerprint.js'

export type Kind = Installed | 'transformers'
/** vLLM's environment has transformers, too. */
type Installed = 'vllm' | 'sglang'
const installedAs = (kind: Kind): Installed => (kind === 'transformers' ? 'vllm' : kind)

/** Where environments and models are kept from one run to the next: SERVERS_DIR, or a folder that git ignores. */
export const FOLDER: string = process.env['SERVERS_DIR'] ?? fileURLToPath(new URL('.servers', import.meta.url))

const HERE = fileURLToPath(new URL('.', import.meta.url))
const STUBS = join(HERE, 'sglang', 'sglang_stubs.py')
const PATCH = join(HERE, 'sglang', 'patch.py')
/** The build for processors, wherever a registry has one. */
const TORCH = 'torch==2.13.0'
/** The environments' folders. */
const FOLDERS: Readonly<Record<Installed, string>> = { vllm: 'venv', sglang: 'venv-sglang' }

export function environmentOf(kind: Kind): string {
  return join(FOLDER, FOLDERS[installedAs(kind)])
}

/** In an environment: the fingerprint of what it was made from, once it is whole. */
const MARK = 'whole'
/** Both environments, with what pip unpacks meanwhile, and the models. */
const DISK_GB = 9

/** What `prepare.ts` found to be missing, for the processes of the tests. */
const FOUND = 'SERVERS_OBSTACLE'

/** Why no server can be installed here; undefined if one can, as far as is known. */
export function obstacle(): string | undefined {
  if (process.env[FOUND] !== undefined) return process.env[FOUND]
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the servers need Linux on x64'
  if (existsSync(environmentOf('vllm'))) return undefined
  if (python() === undefined) return 'the servers need Python 3.11 with venv'
  mkdirSync(FOLDER, { recursive: true })
  const { bavail, bsize } = statfsSync(FOLDER)
  return (bavail * bsize) / 1e9 < DISK_GB ? `the servers need ${DISK_GB} GB of disk` : undefined
}

function python(): string | undefined {
  const isRight = 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 11))'
  return ['python3.11', 'python3'].find((name) => spawnSync(name, ['-c', isRight]).status === 0)
}

/**
 * Installs servers side by side, where they are not there yet by the lists as they are now, unless no registry answers, or it
 * has no torch for processors: that for GPUs is several GB.
 *
 * @throws Error with what pip printed
 */
export async function install(kinds: readonly Kind[]): Promise<void> {
  // All of them end before the first failure is thrown: none goes on in the background.
  const needed = Array.from(new Set(kinds.map(installedAs)), installOne)
  for (const one of await Promise.allSettled(needed)) if (one.status === 'rejected') throw one.reason
}

async function installOne(kind: Installed): Promise<void> {
  const environment = environmentOf(kind)
  const requirements = join(HERE, 'requirements', `${kind}.txt`)
  const madeFrom = fingerprintOf([requirements, ...(kind === 'sglang' ? [STUBS, PATCH] : [])])
  const whole = join(environment, MARK)
  if (existsSync(whole) && readFileSync(whole, 'utf8') === madeFrom) return
  deleteMade(environment, MARK)
  mkdirSync(environment, { recursive: true })
  writeFileSync(whole, 'not yet')
  await run(python() ?? 'python3.11', ['-m', 'venv', environment])
  const program = join(environment, 'bin', 'python')
  // The lists are complete, and a server compiles what it imports when it first starts: that is less than all of it.
  const pip = (...args: readonly string[]): Promise<string> =>
    run(program, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', ...args])
  const offered = await pip('--dry-run', '--report', '-', TORCH).catch(() => undefined)
  if (!offered?.includes('"version": "2.13.0+cpu"')) {
    rmSync(environment, { recursive: true })
    const why = offered === undefined ? 'no registry offers it' : 'the registry has none'
    process.env[FOUND] = `the servers need ${TORCH} for processors, and ${why}`
    return
  }
  await pip(TORCH, '--requirement', requirements)
  const site = (await run(program, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])).trim()
  await FINISH[kind](site, program)
  writeFileSync(whole, madeFrom)
}

const FINISH: Readonly<Record<Installed, (site: string, program: string) => void | Promise<void>>> = {
  /** Its package has another name, but it asks for the version of `vllm`, and finds its platform by it. */
  vllm(site) {
    const folder = join(site, 'vllm-0.32.0+cpu.dist-info')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'METADATA'), 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n')
    writeFileSync(join(folder, 'RECORD'), '')
  },
  /** Leaves out packages that need a GPU, and adds sinks to attention on plain torch. */
  async sglang(site, program) {
    copyFileSync(STUBS, join(site, 'sglang_stubs.py'))
    writeFileSync(join(site, 'sglang_stubs.pth'), 'import sglang_stubs\n')
    await run(program, [PATCH, site])
  },
}

const execute = promisify(execFile)

async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await execute(program, args, { maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message.slice(0, 1000)}\n${`${stdout}${stderr}`.slice(-4000)}`)
  }
}
