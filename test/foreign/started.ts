import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../servers/run.js'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** What a reader is given. */
const EXAMPLE = fileURLToPath(new URL('../../examples/foreign-server/', import.meta.url))
const REQUIREMENTS = join(EXAMPLE, 'requirements.txt')

/** OpenAI's reference server in a process of its own, as the example starts it. */
export interface ReferenceServer {
  readonly url: string
  stop(): void
}

/** Starts it, and installs it first where it is not there yet. @throws Error with what it printed, if it does not start */
export async function startReferenceServer(): Promise<ReferenceServer> {
  const python = await installed()
  const vocabulary = join(HERE, '.venv', 'vocabulary')
  await run(process.execPath, [join(EXAMPLE, 'vocabulary.mjs'), vocabulary])
  const server = spawn(python, [join(EXAMPLE, 'server.py'), '0'], {
    env: { ...process.env, TIKTOKEN_ENCODINGS_BASE: vocabulary, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { url: await firstLine(server), stop: () => server.kill() }
}

function firstLine(server: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    server.stdout?.on('data', (text) => {
      printed += text
      const [line] = /^http\S+(?=\n)/m.exec(printed) ?? []
      if (line !== undefined) resolve(line)
    })
    server.stderr?.on('data', (text) => {
      printed += text
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`the reference server does not start:\n${printed.slice(-4000)}`)))
  })
}

/** The Python of its environment, made anew when the requirements change. */
async function installed(): Promise<string> {
  const folder = join(HERE, '.venv', 'reference-server')
  const python = join(folder, 'bin', 'python')
  const stamp = join(folder, 'requirements.txt')
  const requirements = readFileSync(REQUIREMENTS, 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return python
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run('python3', ['-m', 'venv', folder])
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-compile']
  // It asks for Python 3.12 and runs on 3.11. Without its dependencies it is a few MB: those on the list are enough.
  const only = ['--no-deps', '--ignore-requires-python']
  await run(python, ['-m', 'pip', 'install', ...quietly, ...only, '--requirement', REQUIREMENTS])
  writeFileSync(stamp, requirements)
  return python
}
