import type { Arbitrary } from 'fast-check'
import fc from './fast-check.js'
import { HEADER_SPACE, HEADER_WORDS } from './header-soup.js'
import { type EncodeOptions, neededEncoder, printedAs, showToken } from './stream-forms.js'
import { MARKERS } from './token-soup.js'
import { wellFormedTranscript } from './transcript.js'

/**
 * The tokens of well-formed transcripts with up to three edits, which remove, replace or add tokens. Closer to Harmony
 * than token soup. Shrinks to a short transcript without edits.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { checkEvents } from 'harmony-responses/conformance'
 * import { editedTranscript } from 'harmony-responses/conformance/arbitraries'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const edited = editedTranscript({ tokenTable: await loadTokenTable() })
 * await fc.assert(
 *   fc.asyncProperty(edited, async (tokens) => {
 *     const violations = checkEvents(await myServer.respond([tokens], request))
 *     return violations.every(({ severity, fault }) => severity !== 'error' || fault === 'model')
 *   }),
 * )
 * ```
 */
export function editedTranscript(options: EncodeOptions): Arbitrary<number[]> {
  const encode = neededEncoder('editedTranscript', options)
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    remove: fc.integer({ min: 0, max: 2 }),
    insert: fc.oneof(
      fc.constant([]),
      fc.constantFrom(...MARKERS).map((id) => [id]),
      fc.constantFrom(...HEADER_WORDS).map((text) => [...encode(text)]),
      fc.constantFrom(...HEADER_WORDS).map((text) => [...encode(` ${text}`)]),
      fc.constantFrom(...HEADER_SPACE).map((space) => [...encode(space)]),
    ),
  })
  return fc
    .tuple(wellFormedTranscript({ ...options, maxSteps: 3 }), fc.array(edit, { maxLength: 3 }))
    .map(([{ tokens }, edits]) => {
      let ids = [...tokens]
      for (const { at, remove, insert } of edits) {
        const from = Math.floor(at * (ids.length + 1))
        ids = [...ids.slice(0, from), ...insert, ...ids.slice(from + remove)]
      }
      return printedAs(ids, () => ids.map((id) => showToken(id, options.tokenTable)).join(' '))
    })
}
