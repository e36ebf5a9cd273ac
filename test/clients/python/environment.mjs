// The virtual environments of clients in Python, in .venv/. They are made again when their requirements change.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The packages of a client, with their versions, as pip reads them: a file for each client. */
export const requirementsOf = (client) => join(here, 'requirements', `${client}.txt`)

/**
 * The interpreter of a client's environment, which is made if it is not there yet.
 *
 * @throws Error if it cannot be made
 */
export async function environment(client) {
  const folder = join(here, '.venv', client)
  const python = join(folder, 'bin/python')
  const list = requirementsOf(client)
  const requirements = readFileSync(list, 'utf8')
  const stamp = join(folder, 'requirements.txt')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return python
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-deps', '--no-compile']
  for (const [program, args] of [
    ['python3', ['-m', 'venv', folder]],
    [python, [...install, '-r', list]],
  ]) {
    const status = await ended(program, args).catch(({ message }) => message)
    if (status !== 0) {
      throw new Error(
        `cannot make the environment of ${client}: it needs Python 3.11 with venv (${args.join(' ')}: ${status})`,
      )
    }
  }
  writeFileSync(stamp, requirements)
  return python
}

/** The exit status of a program. @throws Error if it cannot be started */
export async function ended(program, args, options = {}) {
  const [status] = await once(spawn(program, args, { stdio: 'inherit', ...options }), 'close')
  return status
}
