import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const LIST = fileURLToPath(new URL('requirements.txt', import.meta.url))
const FOLDER = fileURLToPath(new URL('.venv', import.meta.url))
const requirements = readFileSync(LIST, 'utf8')

/** The version of a package, as it is pinned. */
export function versionOf(name) {
  return requirements.match(new RegExp(`^${name}==(.+)$`, 'm'))[1]
}

/**
 * Installs the servers beside this file, where they are not there yet by the list as it is now.
 *
 * @param {{ isAsked: boolean }} options whether they are installed, or only looked for
 * @returns the folder of their commands, or why there is none
 */
export async function install({ isAsked }) {
  const bin = join(FOLDER, 'bin')
  const stamp = join(FOLDER, 'requirements.txt')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return { bin }
  if (!isAsked) return { obstacle: 'not installed' }
  const run = promisify(execFile)
  try {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    await run('python3', ['-m', 'venv', FOLDER])
    await run(join(bin, 'python'), [
      '-m',
      'pip',
      'install',
      '-q',
      '--disable-pip-version-check',
      '--no-deps',
      '-r',
      LIST,
    ])
    writeFileSync(stamp, requirements)
    return { bin }
  } catch (error) {
    return { obstacle: `not installed: ${(String(error.stderr).trim() || error.message).split('\n').at(-1)}` }
  }
}
