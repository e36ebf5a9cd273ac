import { existsSync } from 'node:fs'
import { build, type Metafile } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import config from '../../tsup.config.js'

/*
 * Tests what a command loads before it does anything, by the imports of the bundles, not by time. `node bench/run.mjs
 * --only cold` has the figures.
 */

const { noExternal = [] } = config as { readonly noExternal?: readonly string[] }
const ENTRIES = ['src/cli/main.ts', 'src/endpoint/server/node.ts', 'src/endpoint/server/index.ts']

let outputs: Metafile['outputs'] = {}

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: ENTRIES,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    outdir: 'out',
    metafile: true,
    write: false,
    plugins: [
      {
        name: 'as tsup.config.ts has it',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
            const isBundled = noExternal.some((name) => path === name || path.startsWith(`${name}/`))
            return kind === 'entry-point' || isBundled ? undefined : { path, external: true }
          })
        },
      },
    ],
  })
  outputs = metafile.outputs
}, 180_000)

interface Loaded {
  /** The executed modules: `src/cli/run.ts`, `node_modules/zod/...`. */
  readonly modules: readonly string[]
  /** The imports from npm and from Node. */
  readonly packages: readonly string[]
}

/** The modules that are loaded statically with a module of the sources. */
function loadedBy(source: string): Loaded {
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === source)
  if (entry === undefined) return expect.unreachable(source)
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      if (external === true) packages.add(path)
      else files.add(path)
    }
  }
  const inputs = [...files].flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}))
  const modules = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
  return { modules, packages: [...packages] }
}

/** The folders or packages of modules: `cli`, `endpoint/server`, `zod`. */
function foldersOf({ modules }: Loaded): string[] {
  const folder = /(?:node_modules|src)\/((?:(?:core|engines|endpoint|judge)\/)?[^/]+)/
  return [...new Set(modules.map((path) => folder.exec(path)?.[1] ?? path))]
}

/** Those of some folders of src/ that a module loads. */
function loadedOf(loaded: Loaded, ...folders: readonly string[]): string[] {
  // A folder that was renamed would never be loaded.
  for (const folder of folders) expect(existsSync(`src/${folder}`), folder).toBe(true)
  return foldersOf(loaded).filter((folder) => folders.includes(folder))
}

/** The imports that create a Node server, without the mark of an already sent answer, which any app needs. */
const listenersOf = ({ modules }: Loaded): string[] =>
  modules.filter((path) => path.includes('@hono/node-server/dist/index'))

const npm = ({ packages }: Loaded): string[] => packages.filter((name) => !name.startsWith('node:'))

test('--help, and a command before it runs, load a few small files of the command line and nothing of npm', () => {
  const loaded = loadedBy('src/cli/main.ts')
  expect(foldersOf(loaded)).toEqual(['cli', 'shared'])
  expect(loaded.modules.length).toBeLessThanOrEqual(20)
  expect(npm(loaded)).toEqual([])
})

test('check loads the judge, and neither the server nor the token table', () => {
  const loaded = loadedBy('src/cli/check.ts')
  expect(loadedOf(loaded, 'endpoint/server', 'endpoint/respond', 'endpoint/prompt', 'engines/sources')).toEqual([])
  expect(loaded.modules.filter((path) => path.includes('o200k'))).toEqual([])
  expect([...npm(loaded), ...loaded.modules].filter((name) => /hono|\bws\b|noble/.test(name))).toEqual([])
})

test('serve loads neither the judge nor sockets, which come with the first one', () => {
  const loaded = loadedBy('src/cli/serve/serve.ts')
  expect(loadedOf(loaded, 'judge/conformance', 'judge/probe')).toEqual([])
  expect(npm(loaded)).not.toContain('ws')
  expect(listenersOf(loaded)).toEqual([])
})

test('importing server/node opens no listener: neither the HTTP adapter nor sockets are loaded', () => {
  const loaded = loadedBy('src/endpoint/server/node.ts')
  expect(npm(loaded)).not.toContain('ws')
  expect(listenersOf(loaded)).toEqual([])
  expect(loaded.modules.filter((path) => /o200k|conformance/.test(path))).toEqual([])
})

test('of zod, a command loads the words of one language', () => {
  for (const source of ['src/cli/check.ts', 'src/cli/serve/serve.ts', 'src/endpoint/server/node.ts']) {
    const words = loadedBy(source).modules.filter((path) => /zod\/v4\/locales\//.test(path))
    expect(words.filter((path) => !path.endsWith('/en.js'))).toEqual([])
  }
})
