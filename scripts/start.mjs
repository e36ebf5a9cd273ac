// The endpoint from a checkout: npm start, or npm start -- --port 9000. It installs and builds what is missing, and plays
// recordings unless an engine is named.

import './prepare.mjs'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { quietly } from './quietly.mjs'

/** What `serve` can answer with, or a file that says so. */
const ENGINE = /^--(?:replay|script|model|vllm|sglang|llama-server|chat-server|config|help)(?:=|$)/

/** What the build reads, and what it writes last. */
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsup.config.ts', 'tsconfig.json']
const GENERATED = 'src/core/tokens/generated'
const BUILT = 'dist/THIRD-PARTY-LICENSES.txt'

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** When a file, or anything in a folder, was changed last. A folder changes when something in it is removed. */
function changedAt(name) {
  if (name === GENERATED) return 0
  const stats = statSync(pathOf(name))
  const within = stats.isDirectory() ? readdirSync(pathOf(name)).map((each) => changedAt(`${name}/${each}`)) : []
  return Math.max(stats.mtimeMs, ...within)
}

const isBuilt = existsSync(pathOf(BUILT)) && SOURCES.every((name) => changedAt(name) <= changedAt(BUILT))
if (!isBuilt) quietly('building...', 'npm run --silent build:js')

const options = process.argv.slice(2)
const engine = options.some((option) => ENGINE.test(option)) ? [] : ['--replay']
process.argv = [...process.argv.slice(0, 2), 'serve', ...engine, ...options]
import('../dist/cli/main.js')
