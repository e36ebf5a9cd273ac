// The virtual environments of clients in Python, in .venv/. They are made again when their requirements change.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The file that says what an environment has. */
const STAMP = 'requirements.txt'

/** The packages of a client, with their versions, as pip reads them: a file for each client. */
export const requirementsOf = (client) => join(here, 'requirements', `${client}.txt`)

/**
 * The interpreter of a client's environment, which is made if it is not there yet. Processes that need it at once may each make it,
 * beside its place: the first one moves it there.
 *
 * @throws Error if it cannot be made
 */
export async function environment(client) {
  const folder = join(here, '.venv', client)
  const python = join(folder, 'bin/python')
  const list = requirementsOf(client)
  const requirements = readFileSync(list, 'utf8')
  const isMade = () => {
    const stamp = join(folder, STAMP)
    return existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements
  }
  if (isMade()) return python
  mkdirSync(join(here, '.venv'), { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  try {
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-deps', '--no-compile']
    for (const [program, args] of [
      ['python3', ['-m', 'venv', made]],
      [join(made, 'bin/python'), [...install, '-r', list]],
    ]) {
      const status = await ended(program, args).catch(({ message }) => message)
      if (status !== 0) {
        throw new Error(
          `cannot make the environment of ${client}: it needs Python 3.11 with venv (${args.join(' ')}: ${status})`,
        )
      }
    }
    writeFileSync(join(made, STAMP), requirements)
    if (!isMade()) {
      rmSync(folder, { recursive: true, force: true })
      renameSync(made, folder)
    }
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return python
}

/** The exit status of a program. @throws Error if it cannot be started */
export async function ended(program, args, options = {}) {
  const [status] = await once(spawn(program, args, { stdio: 'inherit', ...options }), 'close')
  return status
}
