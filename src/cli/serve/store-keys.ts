import { randomBytes } from 'node:crypto'
import { sharedMode, writePrivately } from '../../shared/system/platform/private-files.js'
import { type Io, messageOf, UsageError } from '../io.js'
import type { Secret } from './secrets.js'

/**
 * Returns the seal keys beside a store: its content is sealed with them, so a restart must not lose them. They are
 * generated at the first start, in a file that only its owner can read. One that others can read is refused.
 *
 * @param option - names the store in messages
 * @throws UsageError
 */
export async function keysBeside(option: string, file: string, io: Io): Promise<Secret> {
  const keys = keyFileOf(file)
  try {
    await io.readFile(keys)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') {
      throw new UsageError(`${option} ${file}: cannot read ${keys}: ${messageOf(error)}`, { cause: error })
    }
    createKeys(option, keys)
  }
  return { name: option, file: keys, isShown: true, check: () => checkPrivate(keys, `${option} ${file}`) }
}

/** Refuses keys that others can read: they could open what clients keep, and forge it. @throws UsageError */
function checkPrivate(keys: string, store: string): void {
  const mode = sharedMode(keys)
  if (mode === undefined) return
  const warning = `${keys} has mode ${mode}, which lets other users in`
  throw new UsageError(`${store}: ${warning}. Run chmod 600 on it, or delete it if its keys may be known`)
}

/** Returns the file of a store's seal keys. */
export function keyFileOf(file: string): string {
  return `${file}.keys`
}

/** Creates the file, unless another process that starts at the same time has: both then use its keys. */
function createKeys(option: string, file: string): void {
  try {
    writePrivately(file, `${randomBytes(32).toString('base64')}\n`)
  } catch (error) {
    throw new UsageError(`${option}: cannot write ${file}: ${messageOf(error)}`, { cause: error })
  }
}
