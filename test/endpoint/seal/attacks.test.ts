import { gcmsiv } from '@noble/ciphers/aes.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSeal, type SealedKind, type UnsealOptions } from '../../../src/endpoint/seal/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { namedBlock } from '../../docs/pages.js'
import { RUNS, sampled } from '../../support/runs.js'
import { anyText, KINDS, keyOf, NONCE, ofAlice, refused, SEALED, seal } from './seals.js'

const caller = 'alice'

const unseal = (blob: string, options: Partial<UnsealOptions> = {}) => seal.unseal(blob, { caller, ...options })
const isRefused = (blob: string, options: Partial<UnsealOptions> = {}): void => {
  expect(() => unseal(blob, options)).toThrow(expect.objectContaining(refused(options.param ?? null)))
}

describe.each(KINDS)('sealed content is refused: %s', (kind) => {
  const { blob, content } = SEALED[kind]

  test('sealed content opens as long as it is unchanged', () => {
    expect(unseal(blob)).toEqual(content)
  })

  test('sealed content of another caller is refused', () => {
    for (const caller of ['bob', 'alice ', 'Alice', 'alic', 'alice","x', '__proto__']) isRefused(blob, { caller })
  })

  test('sealed content with any one character changed, removed, doubled or inserted is refused', () => {
    const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0é'
    for (let at = 0; at < blob.length; at++) {
      const [before, own, after] = [blob.slice(0, at), blob[at] as string, blob.slice(at + 1)]
      isRefused(before + after)
      isRefused(before + own + own + after)
      for (const character of sampled(other)) {
        if (character !== own) isRefused(before + character + after)
        isRefused(before + character + own + after)
      }
    }
  })

  test('sealed content with any one bit changed is refused', () => {
    const [prefix = ''] = /^(hr1\.\w+\.|mcpr_hr1\.)/.exec(blob) ?? []
    const bytes = Buffer.from(blob.slice(prefix.length), 'base64url')
    for (const bit of sampled(Array.from({ length: bytes.length * 8 }).keys())) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      isRefused(prefix + changed.toString('base64url'))
    }
  })

  test('sealed content that was cut off anywhere, or has something after it, is refused', () => {
    for (let end = 0; end < blob.length; end++) isRefused(blob.slice(0, end))
    for (const rest of ['A', 'AAAA', '=', '.', ' ', '\n', blob]) isRefused(blob + rest)
    isRefused(` ${blob}`)
  })

  test('content sealed by a key that is unknown, or known by another name, is refused', () => {
    for (const key of [
      { id: 'k2', key: keyOf(2) },
      { id: 'k1', key: keyOf(2) },
      { id: 'k2', key: keyOf(1) },
    ]) {
      expect(() => createSeal([key]).unseal(blob, { caller })).toThrow(expect.objectContaining(refused()))
    }
  })

  test('content sealed by a known key is refused under the tag of another one', () => {
    const both = createSeal([
      { id: 'k1', key: keyOf(1) },
      { id: 'k2', key: keyOf(2) },
    ])
    const tagAt = blob.lastIndexOf('.') + 1
    const other = both.forResponse({ caller, nonce: NONCE, keyId: 'k2' }).seal('Hm.', 'rs_1')
    const tag = other.slice(other.lastIndexOf('.') + 1).slice(0, 8)
    expect(both.unseal(blob, { caller })).toEqual(content)
    const forged = blob.slice(0, tagAt) + tag + blob.slice(tagAt + 8)
    expect(() => both.unseal(forged, { caller })).toThrow(expect.objectContaining(refused()))
  })

  test('sealed content is refused under the id of another item, if the client sent one', () => {
    for (const itemId of ['rs_2', 'x', `${content.itemId} `, blob]) isRefused(blob, { itemId })
    for (const itemId of [content.itemId, undefined, null, '']) {
      expect(unseal(blob, itemId === undefined ? {} : { itemId })).toEqual(content)
    }
  })

  test('sealed content is refused if another kind is wanted', () => {
    for (const wanted of KINDS) {
      if (wanted === kind) expect(unseal(blob, { kind: wanted })).toEqual(content)
      else isRefused(blob, { kind: wanted })
    }
  })

  test('sealed content that pretends to be of another kind is refused', () => {
    const prefixes = { reasoning: 'hr1.rs.', approval: 'mcpr_hr1.', compaction: 'hr1.cmp.', call: 'hr1.call.' }
    const body = blob.slice(prefixes[kind].length)
    for (const pretended of KINDS) {
      if (pretended !== kind) isRefused(prefixes[pretended] + body)
    }
    isRefused(`mcpr_${blob}`)
    isRefused(blob.replace('hr1', 'hr2'))
    isRefused(blob.replace('hr1', 'HR1'))
  })

  test('sealed content whose parts come from two blobs is refused', () => {
    const other = { ...content, itemId: 'other' }
    const second = other.kind === 'approval' ? ofAlice.sealApproval(other, 'other') : ofAlice.seal(other.text, 'other')
    const start = blob.lastIndexOf('.') + 1
    const rest = second.slice(second.lastIndexOf('.') + 1)
    for (let at = 9; at < rest.length; at++) {
      const mixed = blob.slice(0, start + at) + rest.slice(at)
      if (mixed !== blob && mixed.slice(start) !== rest) isRefused(mixed)
    }
  })
})

test('content that the right key sealed in another shape is refused', () => {
  const list = (...texts: string[]): Uint8Array => new TextEncoder().encode(JSON.stringify(texts))
  const { blob } = SEALED.reasoning
  const nonce = Uint8Array.from(Buffer.from(blob.slice('hr1.rs.'.length + 8).slice(0, 16), 'base64url'))
  const cipher = () => gcmsiv(keyOf(1), nonce, list('hr1', 'content', 'k1', caller, 'reasoning'))
  const write = (json: string): string =>
    blob.slice(0, 'hr1.rs.'.length + 24) +
    Buffer.from(cipher().encrypt(new TextEncoder().encode(json))).toString('base64url')
  expect(write('["rs_1","Hm."]')).toBe(blob)
  for (const json of [
    '',
    '{',
    '{}',
    'null',
    '1',
    '[]',
    '["rs_1"]',
    '["rs_1","Hm.",""]',
    '["rs_1",1]',
    '[null,"Hm."]',
  ]) {
    isRefused(write(json))
  }
})

test('whatever a client sends, it opens or is refused with the one error', () => {
  const prefix = fc.constantFrom('', 'hr1.', 'hr1.rs.', 'hr1.cmp.', 'mcpr_hr1.', SEALED.reasoning.blob.slice(0, 15))
  const garbage = fc.oneof(
    anyText(),
    fc.base64String().map((text) => text.replaceAll('=', '')),
  )
  const param = fc.constantFrom(undefined, 'input[3].encrypted_content', 'input[0].approval_request_id')
  const kind = fc.constantFrom<(SealedKind | undefined)[]>(undefined, ...KINDS)
  fc.assert(
    fc.property(prefix, garbage, param, kind, (start, rest, param, kind) => {
      isRefused(start + rest, { ...(param === undefined ? {} : { param }), ...(kind === undefined ? {} : { kind }) })
    }),
    { numRuns: RUNS * 10 },
  )
})

test('sealed content that is no string is refused', () => {
  for (const blob of [undefined, null, 1, {}, [], [SEALED.reasoning.blob], { toString: () => SEALED.reasoning.blob }]) {
    isRefused(blob as string)
  }
})

test('sealed content that is longer than the bound is refused, though it is genuine', () => {
  const blob = ofAlice.seal('x'.repeat(12_600_000), 'rs_1')
  expect(blob.length).toBeGreaterThan(2 ** 24)
  isRefused(blob, { param: 'input[0].encrypted_content' })
})

test('a long sealed text opens', () => {
  const text = 'Hm. '.repeat(250_000)
  expect(unseal(ofAlice.seal(text, 'rs_1'))).toEqual({ kind: 'reasoning', itemId: 'rs_1', text })
})

test('the reason of a refusal is not told', () => {
  const messages = new Set<string>()
  const attempts: [string, Partial<UnsealOptions>][] = [
    ['garbage', {}],
    [SEALED.reasoning.blob, { caller: 'bob' }],
    [SEALED.reasoning.blob, { itemId: 'rs_2' }],
    [SEALED.reasoning.blob, { kind: 'approval' }],
    [SEALED.reasoning.blob.slice(0, -1), {}],
    [
      createSeal([{ id: 'x', key: keyOf(9) }])
        .forResponse({ caller, nonce: NONCE })
        .seal('', 'rs_1'),
      {},
    ],
  ]
  for (const [blob, options] of attempts) {
    try {
      unseal(blob, { ...options, param: 'input[3].encrypted_content' })
    } catch (error) {
      expect(error).toBeInstanceOf(RequestError)
      expect((error as Error).cause).toBeUndefined()
      messages.add(JSON.stringify((error as RequestError).body))
    }
  }
  expect(Array.from(messages, (text) => JSON.parse(text))).toEqual([
    JSON.parse(namedBlock('docs/sealing.md', 'error').code),
  ])
})

test('a server that does not say whose request it is learns of its mistake', () => {
  for (const options of [undefined, {}, { caller: '' }, { caller: null }, { calller: 'alice' }]) {
    expect(() => seal.unseal(SEALED.reasoning.blob, options as never)).toThrow(HarmonyResponsesError)
  }
})
