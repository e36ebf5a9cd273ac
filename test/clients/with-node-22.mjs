// Runs a command of the project in this folder with a Node that the clients support: most of them want 22, and this
// library runs on 20, too.
//
//     node with-node-22.mjs vitest run
//
// Node comes from the registry, as the package that `node` installs for this platform; if there is none, the current
// Node is used.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const [command, ...args] = process.argv.slice(2)
const { status, signal } = spawnSync(nodePath(), [commandPath(command), ...args], { stdio: 'inherit' })
process.exitCode = status ?? (signal ? 1 : 0)

function nodePath() {
  const name = `node-${process.platform}-${process.arch}`
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node')
  } catch {
    if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath
    process.stderr.write(
      `the clients want Node 22 or newer: this is ${process.version}, and ${name} is not installed\n`,
    )
    process.exit(2)
  }
}

/** The script that a package's command of its own name is. */
function commandPath(name) {
  const manifest = require.resolve(`${name}/package.json`)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[name])
}
