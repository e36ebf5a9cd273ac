import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './pages.js'

/** What a program did. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A checkout that has been installed and built, in a folder of its own. */
export interface Checkout {
  readonly folder: string
  /**
   * Runs a program of it on a screen of 80 columns. Resolves only when the processes that it began are gone, too: they
   * have its standard error.
   */
  run(file: string): Promise<Ran>
  remove(): void
}

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** A program that is no entry of the package: the store in SQLite starts it. */
const WORKER = 'endpoint/stores/sqlite/worker'

/**
 * Builds sources into a new folder, with the examples and scripts as they are.
 *
 * @param source - the folder of a whole tree. Default: these sources
 */
export async function createCheckout(source: string = root): Promise<Checkout> {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'))
  for (const name of ['package.json', 'examples', 'scripts']) {
    cpSync(join(source, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const { bin, exports }: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const built = [
    ...Object.values(bin),
    ...Object.values(exports).map((target) => (typeof target === 'string' ? target : target.default)),
  ].flatMap((file) => /^\.\/dist\/(.+)\.js$/.exec(file)?.[1] ?? [])
  await build({
    entryPoints: Object.fromEntries([...built, WORKER].map((name) => [name, join(source, `src/${name}.ts`)])),
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    packages: 'external',
    // Sources elsewhere have no packages beside them.
    nodePaths: [join(root, 'node_modules')],
    external: ['node:*'],
    logLevel: 'silent',
    tsconfigRaw: '{}',
  })

  return {
    folder,
    run(file) {
      const options = { cwd: folder, env: { ...process.env, COLUMNS: '80' } }
      return new Promise((resolve, reject) => {
        execFile(process.execPath, [file], { ...options, encoding: 'utf8' }, (error, out, err) => {
          const code = error === null ? 0 : error.code
          if (typeof code === 'number') resolve({ code, out, err })
          else reject(error)
        })
      })
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
