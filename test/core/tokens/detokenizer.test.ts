import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDetokenizer, type Detokenizer } from '../../../src/core/tokens/detokenizer.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { RUNS } from '../../support/runs.js'

const table = await loadTokenTable()
const ids = Array.from({ length: table.size }, (_, id) => id)
const notText = ids.filter((id) => table.text(id) === undefined)
/** The token of each single byte: with these, any bytes can be written as tokens. */
const byteIds = new Map(ids.filter((id) => table.bytes(id).length === 1).map((id) => [table.bytes(id)[0], id]))

/** Runs in which most tokens are pieces of characters, whole or broken. */
const run = fc
  .array(
    fc.oneof(
      fc.constantFrom(...notText).map((id) => [id]),
      fc.constantFrom(...byteIds.values()).map((id) => [id]),
      fc.nat(table.size - 1).map((id) => [id]),
      fc.string({ unit: codePoint, maxLength: 2 }).map((text) => [...new TextEncoder().encode(text)].map(idOf)),
    ),
    { maxLength: 16 },
  )
  .map((runs) => runs.flat())

function idOf(byte: number): number {
  const id = byteIds.get(byte)
  if (id === undefined) throw new Error(`no token for byte ${byte}`)
  return id
}

/** The result of the web's decoder for all bytes at once. */
function decodeWhole(run: readonly number[]): string {
  const bytes = Uint8Array.from(run.flatMap((id) => [...table.bytes(id)]))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function decodePieces(detokenizer: Detokenizer, run: readonly number[]): string {
  return run.map((id) => detokenizer.push(id)).join('') + detokenizer.flush()
}

/** The text that each of these bytes releases, pushed as a separate token. */
function deltas(...bytes: number[]): string[] {
  const detokenizer = createDetokenizer(table)
  return [...bytes.map((byte) => detokenizer.push(idOf(byte))), detokenizer.flush()]
}

describe('the detokenizer', () => {
  it('the detokenizer gives, delta by delta, what TextDecoder gives for all the bytes', () => {
    fc.assert(
      fc.property(run, (run) => {
        expect(decodePieces(createDetokenizer(table), run)).toBe(decodeWhole(run))
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer answers next() with undefined where push() gives an empty text, and otherwise with the same', () => {
    fc.assert(
      fc.property(run, (run) => {
        const pushed = createDetokenizer(table)
        const asked = createDetokenizer(table)
        for (const id of run) expect([asked.next(id)]).toEqual([pushed.push(id) || undefined])
        expect(asked.carried()).toEqual(pushed.carried())
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer has released, after each token, the same text as a streaming TextDecoder', () => {
    fc.assert(
      fc.property(run, (run) => {
        const detokenizer = createDetokenizer(table)
        const streaming = new TextDecoder('utf-8', { ignoreBOM: true })
        for (const id of run) {
          expect(detokenizer.push(id)).toBe(streaming.decode(table.bytes(id), { stream: true }))
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer carries at most three bytes', () => {
    fc.assert(
      fc.property(run, (run) => {
        const detokenizer = createDetokenizer(table)
        for (const id of run) {
          detokenizer.push(id)
          expect(detokenizer.carried().length).toBeLessThanOrEqual(3)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer continues from a snapshot as if nothing had happened', () => {
    fc.assert(
      fc.property(run, run, (before, after) => {
        const first = createDetokenizer(table)
        const text = before.map((id) => first.push(id)).join('')
        const second = createDetokenizer(table, JSON.parse(JSON.stringify(first.carried())))
        expect(text + decodePieces(second, after)).toBe(decodeWhole([...before, ...after]))
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer is not touched by another one on the same table', () => {
    fc.assert(
      fc.property(run, run, (mine, others) => {
        const detokenizer = createDetokenizer(table)
        const other = createDetokenizer(table)
        const text = mine.map((id, i) => {
          other.push(others[i] ?? id)
          return detokenizer.push(id)
        })
        expect(text.join('') + detokenizer.flush()).toBe(decodeWhole(mine))
      }),
      { numRuns: RUNS },
    )
  })

  it('the detokenizer is empty after a flush', () => {
    const detokenizer = createDetokenizer(table)
    detokenizer.push(idOf(0xe2))
    expect(detokenizer.flush()).toBe('\uFFFD')
    expect(detokenizer.carried()).toEqual([])
    expect(detokenizer.flush()).toBe('')
  })

  it('the detokenizer gives out its carry as a copy', () => {
    const detokenizer = createDetokenizer(table)
    detokenizer.push(idOf(0xe2))
    detokenizer.carried().push(0x82)
    expect(detokenizer.carried()).toEqual([0xe2])
  })

  it('the detokenizer takes an id that is no ordinary token for no bytes', () => {
    const detokenizer = createDetokenizer(table, [0xe2, 0x82])
    expect(detokenizer.push(200_002)).toBe('')
    expect(detokenizer.push(idOf(0xac))).toBe('€')
  })

  it('the detokenizer keeps a byte order mark, whole or in pieces, wherever it stands', () => {
    expect(deltas(0xef, 0xbb, 0xbf, 0x61, 0xef, 0xbb, 0xbf)).toEqual(['', '', '\uFEFF', 'a', '', '', '\uFEFF', ''])
  })

  it('the detokenizer releases a character with its last byte', () => {
    expect(deltas(0xf0, 0x9f, 0x92, 0x96)).toEqual(['', '', '', '💖', ''])
  })

  it('the detokenizer replaces a character that stayed incomplete once, however long it was', () => {
    expect(deltas(0xf0, 0x9f, 0x92)).toEqual(['', '', '', '\uFFFD'])
  })

  it('the detokenizer replaces a broken character with the token that breaks it', () => {
    expect(deltas(0xf0, 0x9f, 0x61)).toEqual(['', '', '\uFFFDa', ''])
    expect(deltas(0xf0, 0x9f, 0xc3, 0xa9)).toEqual(['', '', '\uFFFD', 'é', ''])
  })

  it.each([0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xff])(
    'the detokenizer replaces byte %i at once, as no character begins with it',
    (byte) => {
      expect(deltas(byte)).toEqual(['\uFFFD', ''])
    },
  )

  it.each([
    { lead: 0xe0, bad: 0x9f, good: 0xa0, because: 'overlong' },
    { lead: 0xed, bad: 0xa0, good: 0x9f, because: 'a surrogate' },
    { lead: 0xf0, bad: 0x8f, good: 0x90, because: 'overlong' },
    { lead: 0xf4, bad: 0x90, good: 0x8f, because: 'beyond Unicode' },
  ])(
    'the detokenizer replaces $lead $bad at once, as it is $because, and waits after $lead $good',
    ({ lead, bad, good }) => {
      expect(deltas(lead, bad)).toEqual(['', '\uFFFD\uFFFD', ''])
      expect(deltas(lead, good)).toEqual(['', '', '\uFFFD'])
    },
  )
})
