import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StopSearch } from '../../../src/endpoint/respond/sampling/stop-search.js'
import { runs } from '../../support/runs.js'

/** Where the first of the strings begins in the whole text. */
function firstOf(text: string, strings: readonly string[]): number | undefined {
  const places = strings.map((string) => text.indexOf(string)).filter((at) => at !== -1)
  return places.length === 0 ? undefined : Math.min(...places)
}

function searched(pieces: readonly string[], strings: readonly string[]): StopSearch {
  const search = new StopSearch(strings)
  for (const piece of pieces) search.push(piece)
  return search
}

/** Texts and strings of few letters, so that they overlap. */
const letters = (least: number, most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: least, maxLength: most })

describe('a search for the first of some strings', () => {
  test('finds in pieces what a naive search finds in the whole text', () => {
    fc.assert(
      fc.property(
        fc.array(letters(0, 6), { maxLength: 8 }),
        fc.array(letters(1, 6), { minLength: 1, maxLength: 4 }),
        (pieces, strings) => {
          const search = searched(pieces, strings)
          search.end()
          expect(search.found).toBe(firstOf(pieces.join(''), strings))
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  test('calls text certain that no later text makes a part of a match, and no text less than that', () => {
    fc.assert(
      fc.property(letters(0, 12), fc.array(letters(1, 5), { minLength: 1, maxLength: 4 }), (text, strings) => {
        const search = searched([text], strings)
        const whole = firstOf(text, strings)
        // The prefixes of strings at the end of the text, and the rest of each.
        const endings = strings.flatMap((string) =>
          Array.from(string, (_, at) => at).flatMap((at) =>
            at > 0 && text.endsWith(string.slice(0, at)) ? [text.length - at] : [],
          ),
        )
        expect(search.certain).toBe(Math.min(text.length, whole ?? text.length, ...endings))
      }),
      { numRuns: runs(2000) },
    )
  })

  test('waits with a string that is complete inside of a longer one, until that is decided', () => {
    const search = searched(['xab'], ['abcd', 'b'])
    expect([search.found, search.certain]).toEqual([undefined, 1])
    search.push('c')
    expect(search.found).toBe(undefined)
    search.push('d')
    expect(search.found).toBe(1)
    expect(searched(['xab', 'x'], ['abcd', 'b']).found).toBe(2)
  })

  test('a search takes time linear in the text where a long string nearly matches everywhere', () => {
    const search = searched(Array(200).fill('a'.repeat(1000)), [`${'a'.repeat(50_000)}b`])
    expect([search.found, search.certain]).toEqual([undefined, 150_000])
  })
})
