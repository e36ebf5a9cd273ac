// The endpoint from a checkout: npm start, or npm start -- --port 9000. It installs and builds what is missing, and plays
// recordings unless an engine is named.

import './prepare.mjs'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { quietly } from './quietly.mjs'

/** The table of engines. Its rows are read as text, since what is built may be older. */
const TABLE = 'src/cli/serve/engines/index.ts'
const ROW = /^ {2}'?([\w-]+)'?: \{$/gm

/** What the build reads, and what it writes last. */
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsup.config.ts', 'tsconfig.json']
const GENERATED = 'src/core/tokens/generated'
const BUILT = 'dist/page/index.html'

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

const engines = Array.from(readFileSync(pathOf(TABLE), 'utf8').matchAll(ROW), ([, name]) => name)
const chosen = new Set([...engines, 'config', 'help'].map((name) => `--${name}`))

const options = process.argv.slice(2)
const engine = options.some((option) => chosen.has(option.split('=')[0])) ? [] : ['--replay']
process.argv = [...process.argv.slice(0, 2), 'serve', ...engine, ...options]
import('../dist/cli/main.js')
