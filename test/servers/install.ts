import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileLlamaServer } from './compile-llama-server.js'
import { deleteMade } from './delete-made.js'
import { fingerprintOf } from './fingerprint.js'
import { type Pip, run } from './run.js'

export type Kind = Installed | 'transformers'
/** vLLM's environment has transformers, too. */
type Installed = 'vllm' | 'sglang' | 'llama-server'
const installedAs = (kind: Kind): Installed => (kind === 'transformers' ? 'vllm' : kind)

/** Where environments and models are kept from one run to the next: SERVERS_DIR, or a folder that git ignores. */
export const FOLDER: string = process.env['SERVERS_DIR'] ?? fileURLToPath(new URL('.servers', import.meta.url))

const HERE = fileURLToPath(new URL('.', import.meta.url))
const STUBS = join(HERE, 'sglang', 'sglang_stubs.py')
const PATCH = join(HERE, 'sglang', 'patch.py')
const COMPILE = join(HERE, 'compile-llama-server.ts')
const requirements = (name: string): string => join(HERE, 'requirements', `${name}.txt`)
const TORCH = requirements('torch')

interface Environment {
  readonly folder: string
  /** With what pip unpacks meanwhile, and the models; of vLLM and SGLang together. */
  readonly diskGb: number
  /** What it is made from besides its list. */
  readonly madeFrom: readonly string[]
}

const ENVIRONMENTS: Readonly<Record<Installed, Environment>> = {
  vllm: { folder: 'venv', diskGb: 9, madeFrom: [TORCH] },
  sglang: { folder: 'venv-sglang', diskGb: 9, madeFrom: [TORCH, STUBS, PATCH] },
  'llama-server': { folder: 'venv-llama', diskGb: 2, madeFrom: [COMPILE] },
}

export function environmentOf(kind: Kind): string {
  return join(FOLDER, ENVIRONMENTS[installedAs(kind)].folder)
}

/** In an environment: the fingerprint of what it was made from, once it is whole. */
const MARK = 'whole'

/** What `prepare.ts` found to be missing for a server, for the processes of the tests. */
const foundFor = (kind: Installed): string => `SERVERS_OBSTACLE_${kind}`

/** Why a server cannot be installed here; undefined if it can, as far as is known. */
export function obstacle(kind: Kind): string | undefined {
  const installed = installedAs(kind)
  const found = process.env[foundFor(installed)]
  if (found !== undefined) return found
  if (process.platform !== 'linux' || process.arch !== 'x64') return `${kind} needs Linux on x64`
  if (existsSync(environmentOf(kind))) return undefined
  if (python() === undefined) return `${kind} needs Python 3.11 with venv`
  if (installed === 'llama-server' && !isThere('c++')) return `${kind} needs a C++ compiler`
  mkdirSync(FOLDER, { recursive: true })
  const { bavail, bsize } = statfsSync(FOLDER)
  const { diskGb } = ENVIRONMENTS[installed]
  return (bavail * bsize) / 1e9 < diskGb ? `${kind} needs ${diskGb} GB of disk` : undefined
}

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0

function python(): string | undefined {
  const isRight = 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 11))'
  return ['python3.11', 'python3'].find((name) => spawnSync(name, ['-c', isRight]).status === 0)
}

/**
 * Installs servers side by side, where they are not there yet by the lists as they are now, unless no registry answers, or it
 * has no torch for processors: that for GPUs is several GB.
 *
 * @throws Error with what pip or a compiler printed
 */
export async function install(kinds: readonly Kind[]): Promise<void> {
  // All of them end before the first failure is thrown: none goes on in the background.
  const needed = Array.from(new Set(kinds.map(installedAs)), installOne)
  for (const one of await Promise.allSettled(needed)) if (one.status === 'rejected') throw one.reason
}

async function installOne(kind: Installed): Promise<void> {
  const folder = environmentOf(kind)
  const list = requirements(kind)
  const madeFrom = fingerprintOf([list, ...ENVIRONMENTS[kind].madeFrom])
  const whole = join(folder, MARK)
  if (existsSync(whole) && readFileSync(whole, 'utf8') === madeFrom) return
  deleteMade(folder, MARK)
  mkdirSync(folder, { recursive: true })
  writeFileSync(whole, 'not yet')
  await run(python() ?? 'python3.11', ['-m', 'venv', folder])
  const program = join(folder, 'bin', 'python')
  const pip: Pip = (...args) => run(program, ['-m', 'pip', ...args])
  const missing = await FILL[kind]({ folder, program, list, pip })
  if (missing === undefined) return writeFileSync(whole, madeFrom)
  rmSync(folder, { recursive: true })
  process.env[foundFor(kind)] = `${kind} needs ${missing}`
}

/** A new environment, to be filled. */
interface NewEnvironment {
  readonly folder: string
  /** Its Python. */
  readonly program: string
  /** The file of its requirements. */
  readonly list: string
  readonly pip: Pip
}

/** Fills an environment, or says what no registry offers. */
const FILL: Readonly<Record<Installed, (environment: NewEnvironment) => Promise<string | undefined>>> = {
  /** Its package has another name, but it asks for the version of `vllm`, and finds its platform by it. */
  async vllm(environment) {
    const missing = await fillWithTorch(environment)
    if (missing !== undefined) return missing
    const folder = join(await siteOf(environment), 'vllm-0.32.0+cpu.dist-info')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'METADATA'), 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n')
    writeFileSync(join(folder, 'RECORD'), '')
    return undefined
  },
  /** Leaves out packages that need a GPU, and adds sinks to attention on plain torch. */
  async sglang(environment) {
    const missing = await fillWithTorch(environment)
    if (missing !== undefined) return missing
    const site = await siteOf(environment)
    copyFileSync(STUBS, join(site, 'sglang_stubs.py'))
    writeFileSync(join(site, 'sglang_stubs.pth'), 'import sglang_stubs\n')
    await run(environment.program, [PATCH, site])
    return undefined
  },
  async 'llama-server'({ folder, list, pip }) {
    const listed = ['install', ...QUIETLY, '--requirement', list]
    const offered = await pip(...listed, '--dry-run').catch(() => undefined)
    if (offered === undefined) return 'a registry with CMake and Ninja'
    const failure = await installed(pip, listed)
    if (failure !== undefined) return failure
    await compileLlamaServer(folder, pip)
    return undefined
  },
}

/** The lists are complete, and a server compiles what it imports when it first starts: that is less than all of it. */
const QUIETLY = ['--quiet', '--no-deps', '--no-compile']

async function fillWithTorch({ list, pip }: NewEnvironment): Promise<string | undefined> {
  const torch = ['--requirement', TORCH]
  const offered = await pip('install', ...QUIETLY, '--dry-run', '--report', '-', ...torch).catch(() => undefined)
  if (!offered?.includes('+cpu"')) {
    return `torch for processors, and ${offered === undefined ? 'no registry offers its version' : 'the registry has none'}`
  }
  return installed(pip, ['install', ...QUIETLY, ...torch, '--requirement', list])
}

/** Installs packages. A registry that lacks one, or stops to answer, is an obstacle of the machine and no failure of a test. */
async function installed(pip: Pip, args: readonly string[]): Promise<string | undefined> {
  try {
    await pip(...args)
    return undefined
  } catch (error) {
    const lines = String((error as Error).message).split('\n')
    return `its packages, and pip could not install them: ${lines.findLast((line) => line.startsWith('ERROR')) ?? lines[0]}`
  }
}

async function siteOf({ program }: NewEnvironment): Promise<string> {
  return (await run(program, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])).trim()
}
