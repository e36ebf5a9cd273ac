// Installs what the site is built with, unless it is there: `npm install` of the package leaves it out.

import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const changedAt = (name) => statSync(here + name, { throwIfNoEntry: false })?.mtimeMs ?? 0

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  const { status } = spawnSync('npm ci', { cwd: here, shell: true, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
