import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Authorize, bearerKeys, hashedBearerKeys } from '../../../src/endpoint/server/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { runs } from '../../support/runs.js'

const KEY = 'sk-0123456789abcdef'
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')
const ownerOf = (authorize: Authorize, authorization: string): unknown =>
  authorize(new Request('http://localhost', { headers: { authorization } }))

/** What a construction that must fail says. */
function refusal(construct: () => unknown): string {
  try {
    construct()
  } catch (error) {
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect((error as HarmonyResponsesError).code).toBe('bad_option')
    return (error as Error).message
  }
  return 'nothing was refused'
}

describe.each([
  ['bearerKeys', bearerKeys, KEY],
  ['hashedBearerKeys', hashedBearerKeys, hashOf(KEY)],
] as const)('%s', (name, construct, key) => {
  test.each([
    ['a string', 'a string'],
    [[['key', 'owner']], 'an array'],
    [new Set(['one']), 'Set'],
    [new Headers({ one: 'me' }), 'Headers'],
    [() => ({}), 'a function'],
    [undefined, 'undefined'],
    [null, 'null'],
    [16, 'a number'],
    [new (class Keys {})(), 'Keys'],
    [Object.create({ [KEY]: 'me' }), 'an object'],
    [Promise.resolve({ [KEY]: 'me' }), 'Promise'],
    [{}, 'an empty one'],
    [new Map(), 'an empty one'],
  ])('a table of keys is a plain object or a Map with entries, and not %j', (keys, got) => {
    const expected = new RegExp(`^${name}: expected a plain object or a Map of .+, got ${got}$`)
    expect(refusal(() => construct(keys as never))).toMatch(expected)
  })

  test.each([
    ['', 'an empty one'],
    [' \t', 'a blank one'],
    [undefined, 'undefined'],
    [7, 'a number'],
    [['a'], 'an array'],
  ])('an owner of a key is not %j', (owner, got) => {
    const expected = `${name}: expected an owner that is a non-empty string, got ${got}`
    expect(refusal(() => construct({ [key]: owner } as never))).toBe(expected)
    expect(refusal(() => construct(new Map([[key, owner]]) as never))).toBe(expected)
  })

  test('a table of keys may be a Map, or an object without a prototype', async () => {
    for (const keys of [new Map([[key, 'me']]), Object.assign(Object.create(null), { [key]: 'me' })]) {
      expect(await ownerOf(construct(keys), `Bearer ${KEY}`)).toBe('me')
    }
  })

  test('a table that changes later lets in nobody else', async () => {
    const keys = new Map([[key, 'me']])
    const authorize = construct(keys)
    keys.clear()
    keys.set(name === 'bearerKeys' ? `${KEY}-2` : hashOf(`${KEY}-2`), 'you')
    expect(await ownerOf(authorize, `Bearer ${KEY}`)).toBe('me')
    expect(await ownerOf(authorize, `Bearer ${KEY}-2`)).toBeUndefined()
  })
})

describe('keys of bearerKeys', () => {
  const unset: Readonly<Record<string, string | undefined>> = {}

  test.each([
    [
      'undefined',
      { [`${unset['KEY']}`]: 'me' },
      /^bearerKeys: expected a key that is set, got one that contains "undefined"/,
    ],
    [
      'a prefix and undefined',
      { [`my-service-key-${unset['KEY']}`]: 'me' },
      /got one that contains "undefined", as an unset/,
    ],
    ['a prefix and null', { [`my-service-key-${null}`]: 'me' }, /got one that contains "null", as an unset/],
    ['NaN', { [`my-service-key:${Number.NaN}`]: 'me' }, /got one that contains "NaN", as an unset/],
    ['an object', { [String({ key: KEY })]: 'me' }, /got one that contains "\[object Object\]", as an unset/],
    ['a promise', { [String(Promise.resolve(KEY))]: 'me' }, /got one that contains "\[object Promise\]", as an unset/],
    ['an empty variable', { [unset['KEY'] ?? '']: 'me' }, /expected a key that is set, got an empty one$/],
    ['no string', new Map([[undefined, 'me']]), /expected a key that is a string, got undefined$/],
    ['a number', new Map([[1234567890123456, 'me']]), /expected a key that is a string, got a number$/],
    ['15 characters', { 'fifteen-letters': 'me' }, /expected a key of at least 16 characters, got one of 15$/],
    ['a good key and a short one', { [KEY]: 'me', other: 'you' }, /got one of 5$/],
    ['an index', { 0: 'me' }, /got one of 1$/],
    [
      'an email address',
      { 'ann.smith@example.com': 'me' },
      /expected a key, got an email address, which anyone may know$/,
    ],
    ['an owner, in place of its key', { 'ann.smith@example.com': KEY }, /\(the key comes first: \{ KEY: owner \}\)$/],
    ['a blank before', { [` ${KEY}`]: 'me' }, /without blanks around it, got one that begins or ends with a blank$/],
    ['a line end', { [`${KEY}\n`]: 'me' }, /got one that begins or ends with a blank$/],
    [
      'a line end within',
      { [`${KEY}\n${KEY}`]: 'me' },
      /which a header can carry, got one with the character U\+000A$/,
    ],
    ['a letter beyond ASCII', { [`${KEY}-schlüssel`]: 'me' }, /printable ASCII.+got one with the character U\+00FC$/],
    ['an emoji', { [`${KEY}🔑`]: 'me' }, /got one with the character U\+1F511$/],
  ])('a key that is %s is refused, and not shown', (_, keys, said) => {
    const message = refusal(() => bearerKeys(keys as never))
    expect(message).toMatch(said)
    expect(message).not.toMatch(/sk-|my-service|fifteen|other/)
  })

  test('keys and owners the wrong way round are refused with a hint that shows neither', () => {
    const message = refusal(() => bearerKeys({ ann: KEY }))
    expect(message).toBe(
      'bearerKeys: expected a key of at least 16 characters, got one of 3 (the key comes first: { KEY: owner })',
    )
  })

  test('keys of all printable ASCII let in their owners, and those with "null" inside a word too', async () => {
    const printable = Array.from({ length: 0x7e - 0x20 }, (_, at) => String.fromCharCode(0x21 + at)).join('')
    for (const key of [printable, 'correct horse battery', 'annullable-0123456789', 'x'.repeat(16)]) {
      const authorize = bearerKeys({ [key]: 'me' })
      expect(await ownerOf(authorize, `Bearer ${key}`)).toBe('me')
    }
  })
})

describe('hashes of hashedBearerKeys', () => {
  test.each([
    ['a key', { [KEY]: 'me' }, /expected the SHA-256 of a key in 64 hexadecimal digits, got a text of 19 characters$/],
    ['too short', { [hashOf(KEY).slice(1)]: 'me' }, /got a text of 63 characters$/],
    ['no digits', { ['g'.repeat(64)]: 'me' }, /got other characters$/],
    ['base64', { [createHash('sha256').update(KEY).digest('base64')]: 'me' }, /got a text of 44 characters$/],
    ['no string', new Map([[7, 'me']]), /expected the SHA-256 of a key in 64 hexadecimal digits, got a number$/],
    [
      'two spellings',
      { [hashOf(KEY)]: 'me', [hashOf(KEY).toUpperCase()]: 'you' },
      /expected each hash once, got one in digits of both cases$/,
    ],
    ['of nothing', { [hashOf('')]: 'me' }, /expected the SHA-256 of a key, got that of an empty text$/],
    ['of undefined', { [hashOf('undefined')]: 'me' }, /expected the SHA-256 of a key, got that of "undefined"$/],
    ['of null', { [hashOf('null').toUpperCase()]: 'me' }, /expected the SHA-256 of a key, got that of "null"$/],
  ])('a hash that is %s is refused', (_, hashes, said) => {
    const message = refusal(() => hashedBearerKeys(hashes as never))
    expect(message).toMatch(/^hashedBearerKeys: expected/)
    expect(message).toMatch(said)
    expect(message).not.toContain('sk-')
  })
})

describe('nobody is let in whose key is not in the table', () => {
  const word = fc.constantFrom(
    ...['undefined', 'null', 'NaN', '0', '1', 'me', 'true', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
    ...['[object Object]', '[object Promise]', 'length', 'Bearer', ''],
  )
  const key = fc.string({ minLength: 1, maxLength: 24, unit: 'grapheme-ascii' })
  const anyKey = fc.oneof(
    word,
    key,
    { weight: 12, arbitrary: fc.string({ minLength: 16, maxLength: 24, unit: 'grapheme-ascii' }) },
    fc.tuple(key, word).map(([before, after]) => `${before}-${after}`),
  )
  const table = fc.oneof(
    fc.dictionary(anyKey, fc.oneof(word, key), { maxKeys: 4 }),
    fc.array(fc.tuple(anyKey, fc.constant('me')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.anything(),
  )
  const entriesOf = (keys: unknown): readonly (readonly [unknown, unknown])[] =>
    keys instanceof Map ? [...keys] : Array.isArray(keys) ? [] : Object.entries(Object(keys))

  test('whatever the table is: it is refused, or lets in its own keys alone', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(table, fc.array(anyKey, { maxLength: 4 }), async (keys, strangers) => {
        const entries = entriesOf(keys)
        const byHash = new Map(entries.map(([one, owner]) => [hashOf(String(one)), owner]))
        for (const construct of [() => bearerKeys(keys as never), () => hashedBearerKeys(byHash as never)]) {
          let authorize: Authorize
          try {
            authorize = construct()
          } catch (error) {
            expect(error).toMatchObject({ code: 'bad_option' })
            continue
          }
          accepted += 1
          for (const one of ['undefined', 'null', '', '0', ...strangers, ...entries.map(([own]) => String(own))]) {
            const sent = one.trim()
            const own = entries.find(([own]) => own === sent)
            expect(await ownerOf(authorize, `Bearer ${sent}`)).toBe(own?.[1])
          }
          expect(await authorize(new Request('http://localhost'))).toBeUndefined()
        }
      }),
      { numRuns: runs(3000) },
    )
    expect(accepted).toBeGreaterThan(runs(300))
  })
})
