// Deletes the declarations that no subpath of the package leads to: `node scripts/prune-types.mjs`, the end of a build.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const reached = new Set()
const waiting = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]))
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (reached.has(file)) continue
  reached.add(file)
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  for (const { fileName } of importedFiles) {
    if (fileName.startsWith('.')) waiting.push(resolve(dirname(file), fileName.replace(/\.js$/, '.d.ts')))
  }
}

const folder = join(root, 'dist/types')
for (const name of readdirSync(folder, { recursive: true })) {
  const file = join(folder, name)
  if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
}
