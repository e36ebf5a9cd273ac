import { createSeal, parseSealKeys, type Seal } from '../../endpoint/seal/index.js'
import { hashFlaw, keyFlaw } from '../../endpoint/server/check-keys.js'
import { type Authorize, bearerKeys, hashedBearerKeys } from '../../endpoint/server/index.js'
import { requestHeaders } from '../../engines/sources/http/request-headers.js'
import { sha256 } from '../../shared/system/sha256.js'
import { type Io, messageOf, UsageError } from '../io.js'
import { isReadOnce, KEY_VARIABLES, readSecret, type Secret, secretName } from './secrets.js'

/** The sources of the keys of `serve`; undefined for those that it has none of. */
export interface KeySources {
  /** The key that clients send. */
  readonly client: Secret | undefined
  /** The hashes of the keys of several owners. */
  readonly clients: Secret | undefined
  /** The key that opens the operator's pages. */
  readonly operator: Secret | undefined
  /** The keys that seal what clients keep. */
  readonly seal: Secret | undefined
  /** The key that the engine's server asks for. */
  readonly engine: Secret | undefined
}

/** How many keys a file has. */
export interface KeyFile {
  /** The option or the variable that gives it. */
  readonly name: string
  readonly keys: number
}

/** The keys of `serve`, which change when their files are read again. */
export interface Keyring {
  /** Undefined without keys of clients. */
  readonly authorize: Authorize | undefined
  /** Undefined without a key of the operator. */
  readonly authorizeOperator: Authorize | undefined
  /** Undefined without keys for it. */
  readonly seal: Seal | undefined
  /** Returns the key of the engine's server; undefined if it has none. */
  readonly engineKey: (() => string) | undefined
  /**
   * Reads the files again. What runs is not affected.
   *
   * @returns the files, none if no key is in a file that can be read again
   * @throws UsageError if a file is invalid: all keys then stay as they were
   */
  reload(): Promise<readonly KeyFile[]>
}

type KeyName = keyof KeySources

/** The keys of one reading. */
interface Keys extends Pick<Keyring, 'authorize' | 'authorizeOperator' | 'seal'> {
  readonly engineKey: string | undefined
  readonly counts: Readonly<Record<KeyName, number>>
}

/** The owner of the one key of clients, and the operator's name in the log. */
const ONE_OWNER = 'key'
const OPERATOR = 'operator'

/**
 * Opens the keys.
 *
 * @throws UsageError, which locates a wrong key but never quotes it
 */
export async function openKeyring(sources: KeySources, io: Io): Promise<Keyring> {
  const given = (Object.keys(sources) as KeyName[]).flatMap((name) => {
    const secret = sources[name]
    return secret === undefined ? [] : [[name, secret] as const]
  })
  checkSealFile(sources.seal)
  const texts = await textsOf(given, io)
  const files = given.filter(([, secret]) => !isReadOnce(secret))
  let keys = await keysOf(sources, texts)

  // What has keys now has some after each reading, since a file without any is invalid.
  function latest<Name extends keyof Keys>(name: Name): NonNullable<Keys[Name]> {
    return keys[name] as NonNullable<Keys[Name]>
  }
  return {
    authorize: keys.authorize && ((request) => latest('authorize')(request)),
    authorizeOperator: keys.authorizeOperator && ((request) => latest('authorizeOperator')(request)),
    seal: keys.seal && {
      get keyId() {
        return latest('seal').keyId
      },
      forResponse: (response) => latest('seal').forResponse(response),
      unseal: (blob, options) => latest('seal').unseal(blob, options),
      isForeign: (blob) => latest('seal').isForeign(blob),
    },
    engineKey: keys.engineKey === undefined ? undefined : () => latest('engineKey'),
    async reload() {
      keys = await keysOf(sources, new Map([...texts, ...(await textsOf(files, io))]))
      return files.map(([name, secret]) => ({ name: secret.name, keys: keys.counts[name] }))
    },
  }
}

async function textsOf(given: readonly (readonly [KeyName, Secret])[], io: Io): Promise<ReadonlyMap<KeyName, string>> {
  const texts = new Map<KeyName, string>()
  for (const [name, secret] of given) texts.set(name, await readSecret(secret, io))
  return texts
}

/** @throws UsageError */
async function keysOf(sources: KeySources, texts: ReadonlyMap<KeyName, string>): Promise<Keys> {
  /** Calls a function with the text of a source and its name for messages, if there is one. */
  function read<Result>(name: KeyName, from: (text: string, where: string) => Result): Result | undefined {
    const [secret, text] = [sources[name], texts.get(name)]
    return secret === undefined || text === undefined ? undefined : from(text, secretName(secret))
  }
  const client = read('client', checkedKey)
  const hashes = read('clients', readHashes)
  const operator = read('operator', checkedKey)
  if (operator !== undefined && (operator === client || Object.hasOwn(hashes ?? {}, await sha256(operator)))) {
    const where = read('operator', (_, name) => name)
    throw new UsageError(`${where}: expected a key of the operator alone, got one that clients have`)
  }
  const seals = read('seal', openSeal)
  const engineKey = read('engine', checkedEngineKey)
  const one = client === undefined ? undefined : bearerKeys({ [client]: ONE_OWNER })
  const many = hashes && hashedBearerKeys(hashes)
  return {
    authorize: one && many ? async (request) => (await one(request)) ?? (await many(request)) : (one ?? many),
    authorizeOperator: operator === undefined ? undefined : bearerKeys({ [operator]: OPERATOR }),
    seal: seals?.seal,
    engineKey,
    counts: { client: 1, operator: 1, engine: 1, clients: Object.keys(hashes ?? {}).length, seal: seals?.keys ?? 0 },
  }
}

function checkedKey(key: string, where: string): string {
  const flaw = keyFlaw(key)
  if (flaw !== undefined) throw new UsageError(`${where}: ${flaw}`)
  return key
}

function checkedEngineKey(key: string, where: string): string {
  try {
    requestHeaders(key, {}, undefined)
  } catch (error) {
    throw new UsageError(`${where}: ${messageOf(error).replace(/^apiKey: /, '')}`, { cause: error })
  }
  return key
}

/**
 * Parses lines of `OWNER SHA256`, in hexadecimal digits as `sha256sum` prints them; `#` begins a comment.
 *
 * @param source - its name in messages: `--api-keys keys.txt`
 * @returns the owners by the hashes of their keys
 * @throws UsageError, which names a line but never quotes it
 */
function readHashes(text: string, source: string): Record<string, string> {
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

/**
 * Opens the seal with the operator's keys.
 *
 * @param source - its name in messages: `--seal-keys keys.txt`
 * @throws UsageError, which locates a wrong key but never quotes it
 */
function openSeal(text: string, source: string): { readonly seal: Seal; readonly keys: number } {
  try {
    const keys = parseSealKeys(text)
    return { seal: createSeal(keys), keys: keys.length }
  } catch (error) {
    throw new UsageError(`${source}: ${messageOf(error)}`, { cause: error })
  }
}

/** Refuses a key in place of its file: the error for a missing file would print it. @throws UsageError */
function checkSealFile(secret: Secret | undefined): void {
  if (secret === undefined || !('file' in secret) || !isKey(secret.file)) return
  throw new UsageError(`${secret.name}: expected a file, got a key: use ${KEY_VARIABLES.seal} for it`)
}

function isKey(text: string): boolean {
  try {
    return parseSealKeys(text).length > 0
  } catch {
    return false
  }
}
