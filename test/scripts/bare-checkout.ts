import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../docs/pages.js'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The commands that npm was asked for. */
  readonly asked: readonly string[]
}

/** The scripts and the manifest alone, in a folder in which `npm` only writes down what it is asked for. */
export interface BareCheckout {
  readonly folder: string
  write(path: string, text: string): Promise<void>
  /** Runs one of the scripts. With the variable NPM_FAILS, npm fails. */
  run(script: string, args?: readonly string[], variables?: NodeJS.ProcessEnv): Promise<Ran>
  remove(): Promise<void>
}

const NPM = `#!/bin/sh
echo "$@" >> asked
[ -z "$NPM_FAILS" ] || { echo "no such registry" >&2; exit 1; }
`

export async function createBareCheckout(): Promise<BareCheckout> {
  const folder = await mkdtemp(join(tmpdir(), 'bare-checkout-'))
  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await write('bin/npm', NPM)
  await chmod(join(folder, 'bin/npm'), 0o755)
  const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter)
  return {
    folder,
    write,
    async run(script, args = [], variables = {}) {
      const env = { ...process.env, PATH: path, NODE_OPTIONS: '', ...variables }
      const ended = await new Promise<Omit<Ran, 'asked'>>((resolve) => {
        execFile(process.execPath, [`scripts/${script}`, ...args], { cwd: folder, env }, (error, out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code), out, err })
        })
      })
      const asked = await readFile(join(folder, 'asked'), 'utf8').catch(() => '')
      return { ...ended, asked: asked.split('\n').filter((line) => line !== '') }
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
