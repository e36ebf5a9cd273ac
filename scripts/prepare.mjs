// What `npm start` and `npm test` need before anything else: a Node that is new enough, and the packages of package-lock.json.
// It needs none of them itself, and is written for old versions of Node, which it refuses.

import { existsSync, readFileSync } from 'node:fs'
import { quietly } from './quietly.mjs'

const jsonOf = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

/** npm's list of what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json'

const { name, engines } = jsonOf('package.json')
const oldest = engines.node.replace('>=', '')
if (isOlder(process.versions.node, oldest)) {
  process.stderr.write(`${name} needs Node ${oldest} or newer, and this is ${process.versions.node}\n`)
  process.exit(2)
}
if (!isInstalled()) quietly('installing...', 'npm ci')

function isOlder(version, other) {
  const [major, minor] = version.split('.').map(Number)
  const [otherMajor, otherMinor] = other.split('.').map(Number)
  return major < otherMajor || (major === otherMajor && minor < otherMinor)
}

/** Whether all packages have the versions of package-lock.json. Those of other systems are optional. */
function isInstalled() {
  const locked = jsonOf('package-lock.json').packages
  const installed = existsSync(new URL(`../${INSTALLED}`, import.meta.url)) ? jsonOf(INSTALLED).packages : {}
  return Object.keys(locked).every((path) => {
    if (path in installed) return installed[path].version === locked[path].version
    return path === '' || locked[path].optional === true
  })
}
