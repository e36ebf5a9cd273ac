import { createSeal, readSealKeys, type Seal } from '../../endpoint/seal/index.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../io.js'
import { SEAL_KEYS_VARIABLE, type SealKeySource } from './settings.js'

/**
 * Opens the seal with the operator's keys; undefined without any. @throws UsageError, which locates a wrong key but
 * never quotes it
 */
export async function openSeal(source: SealKeySource | undefined, io: Io): Promise<Seal | undefined> {
  if (source === undefined) return undefined
  if ('text' in source) return sealOf(source.text, SEAL_KEYS_VARIABLE)
  const { file } = source
  // The error for a missing file would print the key.
  if (isKey(file)) throw new UsageError(`--seal-keys: expected a file, got a key: use ${SEAL_KEYS_VARIABLE} for it`)
  return sealOf(await readFileOrStdin(file, io), `--seal-keys ${nameOf(file)}`)
}

function sealOf(text: string, where: string): Seal {
  try {
    return createSeal(readSealKeys(text))
  } catch (error) {
    throw new UsageError(`${where}: ${messageOf(error)}`, { cause: error })
  }
}

function isKey(text: string): boolean {
  try {
    return readSealKeys(text).length > 0
  } catch {
    return false
  }
}
