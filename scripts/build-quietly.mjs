// `npm run build` without its log, which is shown only if it fails. On a terminal a line shows the progress.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WAITING = 'building...'

if (process.stderr.isTTY) process.stderr.write(WAITING)
const { status, stdout, stderr, error } = spawnSync('npm run --silent build', {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  shell: true,
  stdio: ['ignore', 'pipe', 'pipe'],
  maxBuffer: 2 ** 26,
})
if (process.stderr.isTTY) process.stderr.write(`\r${' '.repeat(WAITING.length)}\r`)

if (error !== undefined || status !== 0) {
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  process.stderr.write(`the build failed: ${error?.message ?? `exit code ${status}`}\n`)
  process.exitCode = 1
}
