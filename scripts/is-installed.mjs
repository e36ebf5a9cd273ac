// It needs no package, and is written for old versions of Node: scripts/prepare.mjs imports it.

import { existsSync, readFileSync } from 'node:fs'

/** npm's list of what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json'

/** Whether all packages of a folder have the versions of its package-lock.json. Those of other systems are optional. */
export function isInstalled(folder) {
  const packagesOf = (path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8')).packages
  const locked = packagesOf('package-lock.json')
  const installed = existsSync(new URL(INSTALLED, folder)) ? packagesOf(INSTALLED) : {}
  return Object.keys(locked).every((path) => {
    if (path in installed) return installed[path].version === locked[path].version
    return path === '' || locked[path].optional === true
  })
}
