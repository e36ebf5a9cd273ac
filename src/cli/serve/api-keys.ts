import { hashFlaw } from '../../endpoint/server/check-keys.js'
import { UsageError } from '../io.js'

/**
 * Parses lines of `OWNER SHA256`, in hexadecimal digits as `sha256sum` prints them; `#` begins a comment.
 *
 * @param source - its name in messages: `--api-keys keys.txt`
 * @returns the owners by the hashes of their keys
 * @throws UsageError, which names a line but never quotes it
 */
export function readHashes(text: string, source: string): Record<string, string> {
  const owners = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/).filter(Boolean)
    if (words.length === 0) continue
    const where = `${source}, line ${index + 1}`
    const [owner = '', hash = ''] = words
    // The line may be a key, which an error must not show.
    if (words.length !== 2 || !/^[\da-f]{64}$/i.test(hash)) {
      throw new UsageError(`${where}: expected OWNER and the SHA-256 of its key in hexadecimal digits`)
    }
    const flaw = hashFlaw(hash)
    if (flaw !== undefined) throw new UsageError(`${where}: ${flaw}`)
    if (owners.has(hash.toLowerCase())) throw new UsageError(`${where}: expected each key once`)
    owners.set(hash.toLowerCase(), owner)
  }
  if (owners.size === 0) throw new UsageError(`${source}: expected at least one line, OWNER SHA256`)
  return Object.fromEntries(owners)
}
