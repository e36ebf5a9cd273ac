// The package's subpaths, bundled as an application would ship them. It needs a build.

import { readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'
import { importsOf } from './imports.mjs'

/** A dynamically imported file above this size is the token table; a smaller one is code and counts as such. */
const TABLE_THRESHOLD = 200_000

export const root = fileURLToPath(new URL('..', import.meta.url))
export const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

/** The modules that users can import, and their files. */
export const subpaths = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath, target]) => ({ subpath, file: target.default.replace(/^\.\//, '') }))

export const bundling = {
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
  outdir: join(tmpdir(), 'bundle'),
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

/** One subpath as a bundler would ship it, without the token table and without npm packages. */
export const bundle = (file) => bundleOf(`export * from './${file}'`)

/** What an example imports of the package, in the same way. */
export function bundleImports(path) {
  const exported = Array.from(importsOf(join(root, path)), ([subpath, names]) => {
    const { file } = subpaths.find((known) => known.subpath === subpath)
    return `export { ${[...names].join(', ')} } from './${file}'`
  })
  return bundleOf(exported.join('\n'))
}

async function bundleOf(contents) {
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
