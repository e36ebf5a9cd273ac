import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import type { SqliteStore } from '../../stores/sqlite/index.js'
import { type Io, messageOf, UsageError } from '../io.js'
import type { SealKeySource, StoreChoice } from './settings.js'

/** The store of `--store`. @throws UsageError */
export async function openStore({ file, durability }: StoreChoice): Promise<SqliteStore> {
  const { createSqliteStore } = await import('../../stores/sqlite/index.js')
  try {
    return await createSqliteStore({ file, durability })
  } catch (error) {
    throw new UsageError(`--store ${file}: ${messageOf(error).replace(/^createSqliteStore: /, '')}`, { cause: error })
  }
}

/**
 * The seal keys beside a store: what it keeps is sealed with them, and a restart must not lose them. They are drawn at the first
 * start, into a file that its owner alone can read.
 *
 * @throws UsageError
 */
export async function keysBeside({ file }: StoreChoice, io: Io): Promise<SealKeySource & { readonly file: string }> {
  const keys = keyFileOf(file)
  try {
    await io.readFile(keys)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') {
      throw new UsageError(`--store ${file}: cannot read ${keys}: ${messageOf(error)}`, { cause: error })
    }
    createKeys(keys)
  }
  return { file: keys }
}

/** Where the seal keys of a store are. */
export function keyFileOf(file: string): string {
  return `${file}.keys`
}

/** Two processes may start at the same time: the file appears whole, and the keys of the first are those of both. */
function createKeys(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(draft, file)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'EEXIST') return
    throw new UsageError(`--store: cannot write ${file}: ${messageOf(error)}`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
}
