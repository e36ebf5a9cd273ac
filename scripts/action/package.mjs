// Prints what npm has to install for action.yml: a version of the registry, a tarball, or a tarball of this checkout.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quietly } from '../quietly.mjs'
import { refuse } from './refuse.mjs'

const { VERSION: given = '' } = process.env

console.log(given === '' ? await packed() : nameOf(given))

function nameOf(version) {
  if (/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version)) return `harmony-responses@${version}`
  if (version.endsWith('.tgz') && existsSync(version)) return resolve(version)
  return refuse('version', 'a version such as 0.1.0, or the path of a tarball', version)
}

/** Installs what the build needs, builds and packs. */
async function packed() {
  await import('../prepare.mjs')
  // The judge runs without the types.
  quietly('building...', 'npm run --silent build:js && npm pack --silent --ignore-scripts')
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { name, version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return `${root}${name}-${version}.tgz`
}
