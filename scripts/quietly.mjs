import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Runs a command of this checkout without its output, which is shown only if it fails: then this process ends with 1. On a
 * terminal a line shows the progress.
 */
export function quietly(progress, command) {
  if (process.stderr.isTTY) process.stderr.write(progress)
  const { status, stdout, stderr, error } = spawnSync(command, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })
  if (process.stderr.isTTY) process.stderr.write(`\r${' '.repeat(progress.length)}\r`)
  if (error === undefined && status === 0) return
  process.stderr.write(`${stdout || ''}${stderr || ''}`)
  process.stderr.write(`${command} failed: ${error ? error.message : `exit code ${status}`}\n`)
  process.exit(1)
}
