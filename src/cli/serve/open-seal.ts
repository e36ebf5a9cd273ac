import { createSeal, readSealKeys, type Seal } from '../../endpoint/seal/index.js'
import { messageOf, UsageError } from '../io.js'
import { KEY_VARIABLES, type Secret } from './secrets.js'

/**
 * Opens the seal with the operator's keys.
 *
 * @param source - its name in messages: `--seal-keys keys.txt`
 * @throws UsageError, which locates a wrong key but never quotes it
 */
export function openSeal(text: string, source: string): { readonly seal: Seal; readonly keys: number } {
  try {
    const keys = readSealKeys(text)
    return { seal: createSeal(keys), keys: keys.length }
  } catch (error) {
    throw new UsageError(`${source}: ${messageOf(error)}`, { cause: error })
  }
}

/** Refuses a key in place of its file: the error for a missing file would print it. @throws UsageError */
export function checkSealFile(secret: Secret | undefined): void {
  if (secret === undefined || !('file' in secret) || !isKey(secret.file)) return
  throw new UsageError(`${secret.name}: expected a file, got a key: use ${KEY_VARIABLES.seal} for it`)
}

function isKey(text: string): boolean {
  try {
    return readSealKeys(text).length > 0
  } catch {
    return false
  }
}
