import { describe, HarmonyResponsesError } from '../../shared/errors.js'

/** The owners of keys, or of their hashes. */
export type KeyTable = Readonly<Record<string, string>> | ReadonlyMap<string, string>

/** In characters. Anything shorter can be guessed, or is no key: a name, or what JavaScript writes for no value. */
const SHORTEST_BEARER_KEY = 16

/** What JavaScript writes for a value that is no text. `null` and `NaN` may also be a part of a random text. */
const NO_TEXT = /undefined|(?<![^\W_])(?:null|NaN)(?![^\W_])|\[object \w+\]/

/** The SHA-256 of what a variable without a value leaves. The first is also that of a request without a key. */
const HASHES_OF_NOTHING: Readonly<Record<string, string>> = {
  e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855: 'an empty text',
  eb045d78d273107348b0300c01d29b7552d622abbc6faf81b3ec55359aa9950c: '"undefined"',
  '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b': '"null"',
}

/** Returns `expected EXPECTED, got GOT` without the text, which may be a key; undefined if nothing is wrong. */
export type FlawOf = (text: unknown) => string | undefined

/**
 * Returns the entries of a table of keys.
 *
 * @param what - the function that takes it, for messages
 * @throws HarmonyResponsesError `bad_option`, which shows neither keys nor owners
 */
export function checkedKeys(
  what: string,
  table: unknown,
  flawOf: FlawOf,
): readonly (readonly [key: string, owner: string])[] {
  const isMap = table instanceof Map
  if (!isMap && !isPlain(table)) throw flawed(what, `expected ${TABLE}, got ${kindOf(table)}`)
  const entries: readonly (readonly [unknown, unknown])[] = isMap ? [...table] : Object.entries(table)
  if (entries.length === 0) throw flawed(what, `expected ${TABLE}, got an empty one`)
  for (const [key, owner] of entries) {
    const flaw = flawOf(key) ?? ownerFlaw(owner)
    if (flaw !== undefined) throw flawed(what, flawOf(owner) === undefined ? flaw + TURN : flaw)
  }
  return entries as readonly (readonly [string, string])[]
}

const TABLE = 'a plain object or a Map of keys and their owners'
const TURN = ' (the key comes first: { KEY: owner })'

/** Finds what keeps a text from being a key that only its owner can send. */
export function keyFlaw(key: unknown): string | undefined {
  if (typeof key !== 'string') return `expected a key that is a string, got ${kindOf(key)}`
  if (key.trim() === '') return `expected a key that is set, got ${blankness(key)}`
  const [noText] = NO_TEXT.exec(key) ?? []
  if (noText !== undefined) {
    return `expected a key that is set, got one that contains ${JSON.stringify(noText)}, as an unset variable does`
  }
  if (key.length < SHORTEST_BEARER_KEY) {
    return `expected a key of at least ${SHORTEST_BEARER_KEY} characters, got one of ${key.length}`
  }
  if (/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(key)) return 'expected a key, got an email address, which anyone may know'
  if (key.trim() !== key) return 'expected a key without blanks around it, got one that begins or ends with a blank'
  const [foreign] = /[^\x20-\x7e]/u.exec(key) ?? []
  if (foreign === undefined) return undefined
  const point = foreign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `expected a key of printable ASCII, which a header can carry, got one with the character U+${point}`
}

/** Finds what keeps a text from being the SHA-256 of a key. */
export function hashFlaw(hash: unknown): string | undefined {
  const expected = 'expected the SHA-256 of a key in 64 hexadecimal digits'
  if (typeof hash !== 'string') return `${expected}, got ${kindOf(hash)}`
  if (!/^[\da-f]{64}$/i.test(hash)) {
    return `${expected}, got ${hash.length === 64 ? 'other characters' : `a text of ${hash.length} characters`}`
  }
  const ofNothing = HASHES_OF_NOTHING[hash.toLowerCase()]
  return ofNothing === undefined ? undefined : `expected the SHA-256 of a key, got that of ${ofNothing}`
}

function ownerFlaw(owner: unknown): string | undefined {
  if (typeof owner === 'string' && owner.trim() !== '') return undefined
  return `expected an owner that is a non-empty string, got ${typeof owner === 'string' ? blankness(owner) : kindOf(owner)}`
}

export function flawed(what: string, flaw: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `${what}: ${flaw}`)
}

/** Whether it is an object of no class: of this realm or another, as JSON has them. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const blankness = (text: string): string => (text === '' ? 'an empty one' : 'a blank one')

/** Describes a value without its content. */
function kindOf(value: unknown): string {
  return /^(string|number|bigint|symbol)$/.test(typeof value) ? `a ${typeof value}` : describe(value)
}
