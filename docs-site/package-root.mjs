// The package that is documented.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url))

export const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** What can be imported: its name, and its source. */
export const subpaths = Object.entries(manifest.exports)
  .filter(([, target]) => target.default?.endsWith('.js'))
  .map(([subpath, target]) => ({
    specifier: manifest.name + subpath.slice(1),
    source: `${root}${target.default.replace(/^\.\/dist\/(.+)\.js$/, 'src/$1.ts')}`,
  }))
