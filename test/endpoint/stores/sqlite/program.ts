import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, test } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** A `describe` for suites that need SQLite, in Node or as the optional package; without it, one skipped test says so. */
export function describeWithSqlite(name: string, fn: () => void): void {
  if (hasModule('node:sqlite') || hasModule('better-sqlite3')) describe(name, fn)
  else describe(name, () => test.skip('needs SQLite: Node 22.13 or newer, or the package better-sqlite3', () => {}))
}

function hasModule(name: string): boolean {
  try {
    createRequire(import.meta.url)(name)
    return true
  } catch {
    return false
  }
}

/** The program of the store's worker, built, and a folder for databases. */
export interface SqliteProgram {
  readonly worker: URL
  /** A file that is not there yet. */
  file(): string
  remove(): void
}

/** Builds `worker.ts`: a worker runs no TypeScript. */
export async function sqliteProgram(): Promise<SqliteProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const outfile = join(folder, 'worker.mjs')
  await build({
    entryPoints: [join(root, 'src/endpoint/stores/sqlite/worker.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    logLevel: 'silent',
    tsconfigRaw: '{}',
  })
  let count = 0
  return {
    worker: pathToFileURL(outfile),
    file() {
      for (;;) {
        const file = join(folder, `${++count}.db`)
        if (!existsSync(file)) return file
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
