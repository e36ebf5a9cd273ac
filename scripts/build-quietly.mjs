// Builds the JavaScript without a log: the build's output is shown only if it fails. The types, which take longest, are
// not rebuilt: running the build does not need them. On a terminal a line shows the progress.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WAITING = 'building...'

if (process.stderr.isTTY) process.stderr.write(WAITING)
const { status, stdout, stderr, error } = spawnSync('npm run --silent build:js -- --no-clean', {
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
