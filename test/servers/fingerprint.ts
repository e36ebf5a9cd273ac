import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Tells files from others: what was made from these is out of date where it differs. */
export function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
