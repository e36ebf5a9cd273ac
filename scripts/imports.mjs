import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /^import \{ (.+) \} from '(.+)'$/gm

/**
 * What an example imports of this package, but for types, by subpath; also by the modules beside it, but for its model.
 *
 * @param {string} path
 * @returns {Map<string, Set<string>>}
 */
export function importsOf(path) {
  const found = new Map()
  for (const [, list, from] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
    const names = list.split(', ').filter((name) => !name.startsWith('type '))
    const own = /^harmony-responses(\/.+)?$/.exec(from)
    if (own !== null) add(found, `.${own[1] ?? ''}`, names)
    else if (from.startsWith('.') && !from.endsWith('/model.mjs')) {
      for (const [subpath, others] of importsOf(join(dirname(path), from))) add(found, subpath, others)
    }
  }
  return found
}

function add(found, subpath, names) {
  found.set(subpath, new Set([...(found.get(subpath) ?? []), ...names]))
}
