// Installs what the site is built with, unless it is there: `npm install` of the package leaves it out.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isInstalled } from '../scripts/is-installed.mjs'

const here = new URL('.', import.meta.url)

if (!isInstalled(here)) {
  const { status } = spawnSync('npm ci', { cwd: fileURLToPath(here), shell: true, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
