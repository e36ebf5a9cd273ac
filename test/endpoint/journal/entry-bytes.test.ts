import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import {
  decodeEntries,
  encodeEntries,
  encodeEntriesInSlices,
} from '../../../src/endpoint/server/service/storage/entry-bytes.js'
import { runs } from '../../support/runs.js'

const id = fc.oneof(fc.nat(201_087), fc.constantFrom(0, 0xffffff, 0x1000000, -1))
const scored = fc.record({ id, logprob: fc.constant(-0.5) })
const at = fc.oneof(fc.constantFrom(0, 1_767_225_600, 1_767_225_601), fc.nat(), fc.constant(2 ** 40), fc.constant(-1))
const entry = fc.oneof(
  fc.record({ type: fc.constant('chunk'), at, tokens: fc.array(fc.oneof(id, id, scored), { maxLength: 3 }) }),
  fc.record({ type: fc.constant('chunk'), at: fc.constant(1_767_225_600), tokens: fc.tuple(fc.nat(201_087)) }),
  fc.record({ type: fc.constant('fail'), at, failure: fc.record({ message: fc.string({ unit: 'binary' }) }) }),
) as fc.Arbitrary<Entry>

test('entries are the same after they were bytes, whatever they hold and however they are cut into blocks', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.nat(30), (entries, cut) => {
      const blocks = [entries.slice(0, cut), entries.slice(cut)]
      expect(blocks.flatMap((block) => decodeEntries(encodeEntries(block)))).toEqual(entries)
    }),
    { numRuns: runs(2000) },
  )
})

test('entries of one token each take three bytes a token', () => {
  const entries = Array.from({ length: 1000 }, (_, index): Entry => ({ type: 'chunk', at: 1, tokens: [index] }))
  expect(encodeEntries(entries).length).toBeLessThan(3010)
})

test('bytes that are no entries, of another version, or cut off are refused', () => {
  const whole = encodeEntries([{ type: 'chunk', at: 5, tokens: [1] }])
  const wrong = [[], [2], [1, 9], [...whole.slice(0, -1)], [1, 3, 200, 1, 65]]
  for (const bytes of wrong) expect(() => decodeEntries(Uint8Array.from(bytes))).toThrow(/entries: expected/)
})

test('an entry of a long request is written in slices, and read again as it was', () => {
  const input = Array.from({ length: 50_000 }, (_, at) => ({ role: 'user', content: `Message ${at}: é 💡 \ud83d` }))
  const entry = { type: 'open', at: 1, request: { input, metadata: undefined } } as object as Entry
  const slices = encodeEntriesInSlices([entry])
  let pauses = 0
  let step = slices.next()
  for (; !step.done; step = slices.next()) pauses += 1
  expect(pauses).toBeGreaterThan(5)
  expect(decodeEntries(step.value)).toEqual([JSON.parse(JSON.stringify(entry))])
})
