// The size of the package in bundles: for `npm run check:package`, which enforces its limits, and for the benchmarks,
// which show it. Both need a build.

import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

/** The limit of the token table on disk. */
export const TOKEN_TABLE_LIMIT = 1_400_000
/** A dynamically imported file above this size is the token table; a smaller one is code and counts as such. */
const TABLE_THRESHOLD = 200_000

export const root = fileURLToPath(new URL('..', import.meta.url))
export const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

/** The modules that users can import, and their files. */
export const subpaths = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath, target]) => ({ subpath, file: target.default.replace(/^\.\//, '') }))

const bundling = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  treeShaking: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  packages: 'external',
  logLevel: 'silent',
  // Only a name: no file is written.
  outdir: join(tmpdir(), 'package-size'),
}

const leaveTokenTableOut = {
  name: 'leave-token-table-out',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ kind, path, resolveDir }) => {
      const file = resolve(resolveDir, path)
      if (kind !== 'dynamic-import' || (await stat(file)).size < TABLE_THRESHOLD) return undefined
      return { path: `token-table:${relative(root, file)}`, external: true }
    })
  },
}

/**
 * One subpath as a bundler would ship it, without the token table and without npm packages.
 *
 * @param name - only this export, and what it needs
 */
export async function bundle(file, name) {
  const contents = `export ${name === undefined ? '*' : `{ ${name} }`} from './${file}'`
  const { metafile, outputFiles } = await esbuild.build({
    ...bundling,
    stdin: { contents, resolveDir: root },
    plugins: [leaveTokenTableOut],
  })
  const [output] = outputFiles
  const [{ imports }] = Object.values(metafile.outputs)
  const external = imports.filter((entry) => entry.external).map((entry) => entry.path)
  return {
    min: output.contents.length,
    gz: gzipSync(output.contents, { level: 9 }).length,
    inputs: Object.keys(metafile.inputs).filter((path) => path !== '<stdin>'),
    external: [...new Set(external)].filter((path) => !path.startsWith('token-table:')),
  }
}

/** dist as a graph: for each file its imports, found by esbuild. */
export async function readDistGraph() {
  const files = (await readdir(join(root, 'dist'), { recursive: true }))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join('dist', name))
  const { metafile } = await esbuild.build({ ...bundling, entryPoints: files, splitting: true })
  return new Map(Object.entries(metafile.inputs).map(([file, { imports }]) => [file, imports]))
}

/** Every dist file that the given ones import, directly or not, dynamically or not. */
export function closure(graph, files) {
  const reached = new Set()
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    waiting.push(...(graph.get(file) ?? []).filter((entry) => !entry.external).map((entry) => entry.path))
  }
  return reached
}

/** The token tables that the core imports dynamically, one of them if all is well: `[file, bytes]`. */
export async function tokenTables(graph) {
  const core = closure(graph, [subpaths.find(({ subpath }) => subpath === '.').file])
  const imports = [...core].flatMap((file) => graph.get(file))
  const dynamic = new Set(imports.filter((entry) => entry.kind === 'dynamic-import').map((entry) => entry.path))
  const sizes = await Promise.all([...dynamic].map(async (file) => [file, (await stat(join(root, file))).size]))
  return sizes.filter(([, size]) => size >= TABLE_THRESHOLD)
}
