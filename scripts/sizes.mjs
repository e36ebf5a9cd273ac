// Compares the size of the two main subpaths, and of what each of examples/servers/ imports, with sizes.json: `npm run build`,
// then `npm run sizes`. After a change that is worth its bytes, `npm run sizes -- --write && npm run docs:tables` records
// the new sizes, and writes them on the pages.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle, bundleImports, root, subpaths } from './bundle.mjs'

/** A change of at most this share needs no word. */
const TOLERANCE = 0.05
const FILE = join(root, 'sizes.json')

const recorded = JSON.parse(await readFile(FILE, 'utf8'))
const sizes = {}
for (const name of Object.keys(recorded)) {
  const subpath = subpaths.find((known) => known.subpath === name)
  const { min, gz } = await (subpath === undefined ? bundleImports(name) : bundle(subpath.file))
  sizes[name] = { minified: min, gzipped: gz }
  const change = gz / recorded[name].gzipped - 1
  console.log(`${name} has ${gz} bytes gzipped, ${(change * 100).toFixed(1)} % from sizes.json`)
  if (Math.abs(change) > TOLERANCE) process.exitCode = 1
}
if (process.argv.includes('--write')) {
  await writeFile(FILE, `${JSON.stringify(sizes, null, 2)}\n`)
  process.exitCode = 0
} else if (process.exitCode === 1) {
  console.error(
    'more than 5 % from sizes.json. If the change is worth it: npm run sizes -- --write && npm run docs:tables',
  )
}
