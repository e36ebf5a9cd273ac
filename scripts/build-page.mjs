// The page of `serve`, from src/page into dist/page: modules whose names contain a hash, and the shell that names them.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as esbuild from 'esbuild'
import { lookEntries, pageEntries } from './entries.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Builds the page into a folder. Returns esbuild's list of the files.
 *
 * @param dist - the folder of the built package, whose token table the page shares; undefined for one of its own
 */
export async function buildPage(folder, dist) {
  const metafile = await bundle(folder, pageEntries, dist === undefined ? [] : [await sharedTable(dist)])
  await writeFile(join(folder, 'index.html'), withNames(await readShell(), metafile))
  return metafile
}

/**
 * Builds the page that needs no server into a folder that any web server serves: `index.html`, and the other files in
 * `page/`. It only looks into what it is given.
 */
export async function buildStaticPage(folder) {
  await rm(folder, { recursive: true, force: true })
  const metafile = await bundle(join(folder, 'page'), lookEntries, [])
  const shell = (await readShell())
    .replace(
      '<meta charset="utf-8" />',
      `$&\n    <meta http-equiv="Content-Security-Policy" content="${await policy()}" />`,
    )
    .replace('page/main.tsx', 'page/look-only.tsx')
    .replace(
      '<div id="page">',
      '$&<p class="unstarted">A browser does not run this page from a file: open it by a web server.</p>',
    )
  await writeFile(join(folder, 'index.html'), withNames(shell, metafile))
}

function readShell() {
  return readFile(join(root, 'src/page/index.html'), 'utf8')
}

/** The policy of `serve`, for a page that asks no server for anything. An element cannot say who may frame it. */
async function policy() {
  const options = { format: 'esm', write: false, logLevel: 'silent' }
  const { outputFiles } = await esbuild.build({ entryPoints: [join(root, 'src/cli/serve/page-policy.ts')], ...options })
  const { PAGE_POLICY, policyText } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  const { 'frame-ancestors': _, ...rest } = PAGE_POLICY
  return policyText({ ...rest, 'connect-src': "'none'" })
}

async function bundle(folder, entries, plugins) {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [...entries.map((name) => `./src/${name}`), './src/page/page.css', './src/page/icon.svg'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    plugins,
  })
  return metafile
}

/** Leaves the token table where the package has it: a copy would be most of the page. */
async function sharedTable(dist) {
  const file = (await readdir(dist)).find((name) => /^o200k-harmony-\w+\.js$/.test(name))
  if (file === undefined) throw new Error(`${dist} has no token table: build the package first`)
  return {
    name: 'shared-table',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/o200k-harmony\.js$/ }, () => ({ path: `./${file}`, external: true })),
  }
}

/** Puts the names of the built files where the shell has those of their sources: `page/main.tsx`. */
function withNames(shell, { outputs }) {
  const built = Object.entries(outputs).flatMap(([path, { entryPoint, inputs }]) => {
    const source = entryPoint ?? (path.endsWith('.svg') ? Object.keys(inputs)[0] : undefined)
    return source === undefined ? [] : [[source.replace('src/', ''), `page/${path.split('/').at(-1)}`]]
  })
  return shell.replace(/"(page\/[^"]+)"/g, (_, source) => {
    const found = built.find(([name]) => name === source)
    if (found === undefined) throw new Error(`src/page/index.html names ${source}, which was not built`)
    return `"${found[1]}"`
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await buildPage(join(root, 'dist/page'), join(root, 'dist'))
