import type { Arbitrary } from 'fast-check'
import { SPECIAL as m } from '../../../core/harmony/vocabulary.js'
import fc from './fast-check.js'
import { type EncodeOptions, encodeParts, neededEncoder, type Part, printedAs, showParts } from './stream-forms.js'

/** Words of headers, similar words, and words that no header has. */
export const HEADER_WORDS: readonly string[] = (
  'assistant user system developer tool python functions.x x to=functions.x to=assistant to=python' +
  ' to=x to= to = analysis commentary final Final summary json code text/plain response user:al assistantassistant We é ? {'
).split(' ')
/** White space for JavaScript or the official parser, not always for both. */
export const HEADER_SPACE: readonly string[] = ['', '  ', ...'\n\t\u00a0\u000b\f\u0085\u2028\u3000\ufeff\u200b']

/**
 * Messages with correct bodies and stop tokens, but with random words and markers as headers. More than one in ten is
 * valid Harmony, and the others are close to it. Shrinks to one message with an empty header.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { headerSoup } from 'harmony-responses/conformance/arbitraries'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const soup = headerSoup({ tokenTable: await loadTokenTable() })
 * await fc.assert(fc.asyncProperty(soup, async (tokens) => (await myServer.respond([tokens], request)).length > 0))
 * ```
 */
export function headerSoup(options: EncodeOptions): Arbitrary<number[]> {
  const encode = neededEncoder('headerSoup', options)
  const space = fc.oneof(
    { weight: 12, arbitrary: fc.constant(' ') },
    { weight: 1, arbitrary: fc.constantFrom(...HEADER_SPACE) },
  )
  const channel = fc.constantFrom('analysis', 'commentary', 'final', 'commentary', 'summary', '')
  const recipient = fc.constantFrom('to=functions.x', 'to=assistant', 'to=python', 'to=')
  const type = fc.constantFrom('json', 'code', 'response', '')
  const word = fc.constantFrom(...HEADER_WORDS)
  const rest = fc.array(
    fc.tuple(space, word).map(([before, text]) => before + text),
    { maxLength: 2 },
  )
  const words = fc.tuple(rest, fc.constantFrom('', '', ' ', '\n')).map(([words, end]) => words.join('') + end)
  const segment = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(space, recipient).map(([before, to]) => before + to) },
    { weight: 2, arbitrary: words },
    { weight: 4, arbitrary: fc.constant('') },
  )
  const named = fc.tuple(channel, segment).map(([name, more]): Part[] => [m.channel, `${name}${more}`])
  const marked = fc.oneof(
    { weight: 4, arbitrary: named },
    { weight: 3, arbitrary: fc.tuple(type, segment).map(([name, more]): Part[] => [m.constrain, `${name}${more}`]) },
    { weight: 1, arbitrary: segment.map((more): Part[] => [m.start, more]) },
  )
  const author = fc.oneof(
    { weight: 4, arbitrary: fc.constant('assistant') },
    { weight: 1, arbitrary: fc.constantFrom('user', 'tool', 'functions.x to=assistant', 'python to=assistant') },
    { weight: 1, arbitrary: rest.map((words) => words.join('')) },
  )
  const message = fc.record({
    author,
    segment,
    marked: fc.array(marked, { maxLength: 3 }),
    body: fc.constantFrom('Hi', '', '{}', 'a b'),
    end: fc.constantFrom(m.end, m.call, m.return),
  })
  return fc.array(message, { minLength: 1, maxLength: 2 }).map((messages) => {
    const parts = messages.flatMap(({ author, segment, marked, body, end }, index): Part[] => [
      ...(index === 0 ? [] : [m.start, author]),
      segment,
      ...marked.flat(),
      m.message,
      body,
      end,
    ])
    return printedAs(encodeParts(parts, encode), () => showParts(parts))
  })
}
