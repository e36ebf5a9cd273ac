import { hashFlaw } from '../../endpoint/server/check-keys.js'
import { type Authorize, bearerKeys, hashedBearerKeys } from '../../endpoint/server/index.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from '../io.js'

/** The owner of `--api-key`. */
const ONE_OWNER = 'key'

/**
 * Opens the keys: the single key, and those of a file, which contains only their SHA-256.
 *
 * @returns undefined if there is no key
 * @throws UsageError, which names a line but never quotes it
 */
export async function openKeys(
  { key, file }: { readonly key: string | undefined; readonly file: string | undefined },
  io: Io,
): Promise<Authorize | undefined> {
  const one = key === undefined ? undefined : bearerKeys({ [key]: ONE_OWNER })
  if (file === undefined) return one
  const many = hashedBearerKeys(readHashes(await readFileOrStdin(file, io), nameOf(file)))
  return async (request) => (await one?.(request)) ?? (await many(request))
}

/** Parses lines of `OWNER SHA256`, in hexadecimal digits as `sha256sum` prints them; `#` begins a comment. */
function readHashes(text: string, file: string): Record<string, string> {
  const owners = new Map<string, string>()
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/).filter(Boolean)
    if (words.length === 0) continue
    const where = `--api-keys ${file}, line ${index + 1}`
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
  if (owners.size === 0) throw new UsageError(`--api-keys ${file}: expected at least one line, OWNER SHA256`)
  return Object.fromEntries(owners)
}
