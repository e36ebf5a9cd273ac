// What `npm start` and `npm test` need before anything else: a Node that is new enough, and the packages of package-lock.json.
// It needs none of them itself, and is written for old versions of Node, which it refuses.

import { readFileSync } from 'node:fs'
import { isInstalled } from './is-installed.mjs'
import { quietly } from './quietly.mjs'

const root = new URL('../', import.meta.url)
const { name, engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const oldest = engines.node.replace('>=', '')
if (isOlder(process.versions.node, oldest)) {
  process.stderr.write(`${name} needs Node ${oldest} or newer, and this is ${process.versions.node}\n`)
  process.exit(2)
}
if (!isInstalled(root)) quietly('installing...', 'npm ci')

function isOlder(version, other) {
  const [major, minor] = version.split('.').map(Number)
  const [otherMajor, otherMinor] = other.split('.').map(Number)
  return major < otherMajor || (major === otherMajor && minor < otherMinor)
}
