import { gcmsiv } from '@noble/ciphers/aes.js'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  createNonce,
  createSeal,
  type SealedResponse,
  type Unsealed,
  type UnsealedApproval,
  type UnsealedText,
} from '../../../src/endpoint/seal/index.js'
import { RUNS } from '../../support/runs.js'
import { anyContent, CALL, KINDS, keyOf, NONCE, ofAlice, SEALED, seal, sealWith } from './seals.js'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

describe('what is sealed', () => {
  test('sealed content opens to the original, regardless of its content', () => {
    fc.assert(
      fc.property(anyContent(), (content) => {
        const { kind, itemId } = content
        expect(seal.unseal(sealWith(ofAlice, content), { caller: 'alice', kind, itemId })).toEqual(content)
      }),
      { numRuns: RUNS },
    )
  })

  test('sealed content begins with its format and, for an approval, with the prefix of an id', () => {
    expect(SEALED.reasoning.blob).toMatch(/^hr1\.rs\.[\w-]+$/)
    expect(SEALED.compaction.blob).toMatch(/^hr1\.cmp\.[\w-]+$/)
    expect(SEALED.approval.blob).toMatch(/^mcpr_hr1\.[\w-]+$/)
  })

  test('a seal shows neither its content nor the name of its key nor its caller', () => {
    const named = createSeal([{ id: 'frankfurt-2026', key: keyOf(1) }])
    const blob = named.forResponse({ caller: 'alice@example.com', nonce: NONCE }).seal('attack at dawn', 'rs_1')
    const bytes = Buffer.from(blob.slice('hr1.rs.'.length), 'base64url').toString('latin1')
    for (const word of ['frankfurt', 'alice', 'dawn', 'rs_1']) expect(blob + bytes).not.toContain(word)
  })

  test('sealed content has the format that docs/sealing.md describes', () => {
    const list = (...texts: string[]): Uint8Array => utf8(JSON.stringify(texts))
    const digest = (...texts: string[]): Uint8Array =>
      gcmsiv(keyOf(1), new Uint8Array(12), list(...texts)).encrypt(new Uint8Array(0))
    const nonce = digest('hr1', 'nonce', 'k1', 'alice', 'reasoning', NONCE, 'id', 'rs_1').subarray(0, 12)
    const cipher = gcmsiv(keyOf(1), nonce, list('hr1', 'content', 'k1', 'alice', 'reasoning'))
    const parts = [digest('hr1', 'key', 'k1').subarray(0, 6), nonce, cipher.encrypt(list('rs_1', 'Hm.'))]
    expect(SEALED.reasoning.blob).toBe(`hr1.rs.${parts.map(base64url).join('')}`)
  })

  test.each([
    ['reasoning', 'hr1.rs.Q4YJk5WUWtK-xS-8ZBFKVyI2hDN_Xw8nFcD83nFWdDEdqZs5jTjl4VR1o1R32NO9'],
    [
      'approval',
      'mcpr_hr1.Q4YJk5WUXy88VuX94oETZJ7315FSJfJeKKdB5Mt-7aFJpw_tP0mfj7CzMuY289PlSaOj4DrVfoLD-4pB0b7hpMQhtvujkP1uEl2_JFyi',
    ],
    [
      'call',
      'hr1.call.Q4YJk5WUHEEIdx9lbPi2a1KS_0yQE_Pro0V7ogxTJQUfYh-j7oReQ0ISv2J6EAbgYuwjIkQDhpG_S9OzFDwX2dXc7kvp0Fo',
    ],
    ['compaction', 'hr1.cmp.Q4YJk5WUQaFB_81KrkdDbPwNf0h5K-iRzAxw1WrXDYVDP24WUgmN10eYHcfe6AGKxit3N5AZZKRndgTbFKg'],
  ] as const)('content that the first version of the format sealed opens for ever: %s', (kind, blob) => {
    expect(seal.unseal(blob, { caller: 'alice' })).toEqual(SEALED[kind].content)
    expect(SEALED[kind].blob).toBe(blob)
  })

  test('opened content has the type of the requested kind', () => {
    const { reasoning, approval } = SEALED
    const caller = 'alice'
    expectTypeOf(seal.unseal(approval.blob, { caller, kind: 'approval' })).toEqualTypeOf<UnsealedApproval>()
    expectTypeOf(seal.unseal(reasoning.blob, { caller, kind: 'reasoning' })).toEqualTypeOf<UnsealedText<'reasoning'>>()
    expectTypeOf(seal.unseal(approval.blob, { caller })).toEqualTypeOf<Unsealed>()
  })
})

describe('a response', () => {
  test('a response is sealed to the same bytes when it is replayed, in any order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyContent(), { selector: ({ itemId }) => itemId }), fc.nat(), (contents, start) => {
        const again = createSeal([{ id: 'k1', key: keyOf(1) }]).forResponse({ caller: 'alice', nonce: NONCE })
        const first = contents.map((content) => sealWith(ofAlice, content))
        const order = contents.map((_, at) => (at + start) % contents.length)
        for (const at of order) expect(sealWith(again, contents[at] as Unsealed)).toBe(first[at])
      }),
      { numRuns: RUNS },
    )
  })

  const nonceOf = (blob: string): string => blob.replace(/^(hr1\.rs\.|hr1\.cmp\.|mcpr_hr1\.)/, '').slice(8, 24)

  test('a response has another nonce for each of its items and kinds, though they say the same', () => {
    const blobs = Array.from({ length: 500 }, (_, at) => [
      ofAlice.seal('Hm.', `rs_${at}`),
      ofAlice.sealCompaction('Hm.', `rs_${at}`),
      ofAlice.sealApproval({ ...CALL, arguments: 'Hm.' }, `rs_${at}`),
    ]).flat()
    expect(new Set(blobs.map(nonceOf)).size).toBe(1500)
  })

  test('a response has other nonces than any other response, caller or key', () => {
    const keys = [
      { id: 'k1', key: keyOf(1) },
      { id: 'k2', key: keyOf(1) },
      { id: 'k3', key: keyOf(2) },
    ]
    const blobs = keys.flatMap(({ id: keyId }) =>
      ['alice', 'bob'].flatMap((caller) =>
        [NONCE, `${NONCE}x`, createNonce(), createNonce()].map((nonce) =>
          createSeal(keys).forResponse({ caller, nonce, keyId }).seal('Hm.', 'rs_1'),
        ),
      ),
    )
    expect(new Set(blobs.map(nonceOf)).size).toBe(24)
  })

  test('a response tells compactions without an id apart by their texts', () => {
    const [one, other] = [ofAlice.sealCompaction('one'), ofAlice.sealCompaction('other')] as const
    expect(nonceOf(one)).not.toBe(nonceOf(other))
    expect(ofAlice.sealCompaction('one')).toBe(one)
    expect(nonceOf(ofAlice.sealCompaction('x', 'one'))).not.toBe(nonceOf(one))
    expect(seal.unseal(one, { caller: 'alice' })).toEqual({ kind: 'compaction', itemId: '', text: 'one' })
  })

  test('a response is sealed by methods that need no this', () => {
    const { seal: sealReasoning, sealApproval, sealCompaction } = ofAlice
    expect(sealReasoning('Hm.', 'rs_1')).toBe(SEALED.reasoning.blob)
    expect(sealApproval(CALL, 'mcpr_1')).toBe(SEALED.approval.blob)
    expect(sealCompaction('So far: nothing.', 'cmp_1')).toBe(SEALED.compaction.blob)
  })

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'forResponse: options: expected an object, got undefined'],
    ['no caller', { caller: '', nonce: NONCE }, 'caller: expected whose request it is, a non-empty string, got ""'],
    [
      'no nonce',
      { caller: 'alice' },
      'nonce: expected createNonce() or another string of 16 characters or more, got undefined',
    ],
    [
      'a short nonce',
      { caller: 'alice', nonce: '1' },
      'nonce: expected createNonce() or another string of 16 characters or more, got "1"',
    ],
    ['an unknown key', { caller: 'alice', nonce: NONCE, keyId: 'k2' }, 'keyId: expected one of k1, got "k2"'],
    [
      'a misspelled option',
      { caller: 'alice', nonce: NONCE, keyID: 'k1' },
      'forResponse: there is no option "keyID", did you mean keyId?',
    ],
  ])('a response with %s is refused', (_, response, message) => {
    expect(() => seal.forResponse(response as SealedResponse)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option', message }),
    )
  })

  test('a response seals strings only', () => {
    expect(() => ofAlice.seal(undefined as never, 'rs_1')).toThrow('seal: text: expected a string, got undefined')
    expect(() => ofAlice.seal('Hm.', 1 as never)).toThrow('seal: itemId: expected a string, got 1')
    expect(() => ofAlice.sealApproval({ ...CALL, name: null as never }, 'mcpr_1')).toThrow(
      'seal: name: expected a string, got null',
    )
  })
})

describe('a nonce', () => {
  test('a nonce is 128 random bits', () => {
    const nonces = Array.from({ length: 1000 }, createNonce)
    expect(new Set(nonces).size).toBe(1000)
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64url')).toHaveLength(16)
  })
})

describe('rotation', () => {
  const [old, next, last] = [
    { id: 'k1', key: keyOf(1) },
    { id: 'k2', key: keyOf(2) },
    { id: 'k3', key: keyOf(3) },
  ] as const

  test('a seal of several keys seals with the first and opens with all', () => {
    const rotated = createSeal([next, old])
    expect(rotated.keyId).toBe('k2')
    for (const kind of KINDS) {
      expect(rotated.unseal(SEALED[kind].blob, { caller: 'alice' })).toEqual(SEALED[kind].content)
    }
    const blob = rotated.forResponse({ caller: 'alice', nonce: NONCE }).seal('New.', 'rs_2')
    expect(createSeal([next]).unseal(blob, { caller: 'alice' })).toMatchObject({ text: 'New.' })
    expect(() => createSeal([old]).unseal(blob, { caller: 'alice' })).toThrow('could not be verified')
    expect(createSeal([last, next, old]).unseal(blob, { caller: 'alice' })).toMatchObject({ text: 'New.' })
  })

  test('a seal of several keys replays a response with the key that sealed it', () => {
    const response = createSeal([next, old]).forResponse({ caller: 'alice', nonce: NONCE, keyId: 'k1' })
    expect(response.seal('Hm.', 'rs_1')).toBe(SEALED.reasoning.blob)
  })

  test('a seal distinguishes content that it can no longer open from its own', () => {
    const rotated = createSeal([next])
    for (const kind of KINDS) {
      expect(rotated.isForeign(SEALED[kind].blob)).toBe(true)
      expect(seal.isForeign(SEALED[kind].blob)).toBe(false)
    }
    for (const blob of ['', 'gAAAAABo', 'hr1', 'hr1.rs.', 'hr2.rs.AAAA', 'mcpr_1', undefined]) {
      expect(seal.isForeign(blob as string)).toBe(true)
    }
  })
})
