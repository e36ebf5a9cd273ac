import { readFileSync } from 'node:fs'

const { exports, bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** @param {string | { default: string }} target */
function moduleOf(target) {
  const [, name] = /^\.\/dist\/(.+)\.js$/.exec(typeof target === 'string' ? target : target.default) ?? []
  return name === undefined ? [] : [name]
}

/**
 * The modules in `src/` that package.json exports and runs, and the program of a thread, without `.ts`.
 *
 * @type {readonly string[]}
 */
export const entries = [
  ...[...Object.values(exports), ...Object.values(bin)].flatMap(moduleOf),
  'endpoint/stores/sqlite/worker',
]

/** The modules in `src/` that the page loads by name, without `.ts` or `.tsx`. */
export const pageEntries = ['page/main', 'page/worker/worker']

/** The same of the page without a server. */
export const lookEntries = ['page/look-only', 'page/worker/worker']
