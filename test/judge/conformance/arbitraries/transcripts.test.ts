import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_SPECIAL, markerText } from '../../../../src/core/harmony/vocabulary.js'
import { createDetokenizer } from '../../../../src/core/tokens/detokenizer.js'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import { flattenChunks } from '../../../../src/judge/conformance/arbitraries/chunk-plan.js'
import {
  chunkPlan,
  cutChunks,
  cutText,
  editedTranscript,
  harmonyTextSpellingMarkers,
  headerSoup,
  MALFORMED_SHAPES,
  type MalformedShape,
  malformedTranscript,
  type TextChunk,
  type TextStream,
  type TokenStream,
  textPlan,
  textSoup,
  tokenSoup,
  wellFormedTranscript,
} from '../../../../src/judge/conformance/arbitraries/index.js'
import { spellsMarker, splitMarkers } from '../../../../src/judge/conformance/arbitraries/markers.js'
import { HarmonyResponsesError } from '../../../../src/shared/errors.js'
import { RUNS } from '../../../support/runs.js'

const tokenTable = await loadTokenTable()

const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void, runs = RUNS): void =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      holds(value)
    }),
    { numRuns: runs },
  )

/**
 * The simplest value for which something holds, as fast-check prints it: of some tries, since shrinking may get stuck.
 */
function simplest<T>(arbitrary: fc.Arbitrary<T>, isFound: (value: T) => boolean): string {
  const found = [1, 2, 3, 7].map((seed) => {
    const { counterexample } = fc.check(
      fc.property(arbitrary, (value) => !isFound(value)),
      { numRuns: 5000, seed },
    )
    return fc.stringify(counterexample?.[0])
  })
  return found.reduce((best, next) => (next.length < best.length ? next : best))
}

function decode(ids: readonly number[]): string {
  const run = createDetokenizer(tokenTable)
  const text = ids.map((id) => (id < FIRST_SPECIAL ? run.push(id) : run.flush() + markerText(id)))
  return text.join('') + run.flush()
}

const saidBy = (chunk: TextChunk): 'host' | 'model' => (typeof chunk === 'string' ? 'model' : 'host')
const chunkText = (chunk: TextChunk): string => (typeof chunk === 'string' ? chunk : chunk.host)
const joined = ({ textChunks = [] }: Partial<TextStream>): string => textChunks.map(chunkText).join('')

/** Message text may contain the brackets that mark the host's text. */
const withoutBrackets = (text: string): string => text.replace(/[⟦⟧]/g, '')

const anyTranscript = (): fc.Arbitrary<TokenStream> =>
  fc.oneof(wellFormedTranscript({ tokenTable }), malformedTranscript({ tokenTable }))

describe('with a token table', () => {
  test('the ids of a transcript decode to its text', () => {
    check(anyTranscript(), ({ tokens, textChunks }) => {
      if (textChunks) expect(decode(tokens)).toBe(joined({ textChunks }))
    })
    check(wellFormedTranscript({ tokenTable, text: harmonyTextSpellingMarkers() }), ({ tokens, text }) => {
      expect(withoutBrackets(decode(tokens))).toBe(withoutBrackets(text))
    })
  })

  test('the forms of a transcript agree on the author of each part', () => {
    check(wellFormedTranscript({ tokenTable }), ({ tokens, chunks, textChunks = [] }) => {
      expect(flattenChunks(chunks)).toEqual(tokens)
      const written = chunks.map((chunk) => {
        const isFromHost = typeof chunk === 'object' && 'host' in chunk
        return { by: isFromHost ? 'host' : 'model', text: decode(flattenChunks([chunk])) }
      })
      expect(written).toEqual(textChunks.map((chunk) => ({ by: saidBy(chunk), text: chunkText(chunk) })))
    })
  })

  test('an encoder of the caller is used in place of the table', () => {
    const encode = (text: string): number[] => Array.from(text, () => 1)
    const stream = wellFormedTranscript({ encode })
    check(stream, ({ tokens }) => expect(tokens.every((id) => id === 1 || id >= FIRST_SPECIAL)).toBe(true), 50)
    check(malformedTranscript({ encode, tokenTable, shapes: ['end-in-header'] }), ({ shape, tokens }) => {
      expect(shape).toBe('end-in-header')
      expect(tokens.every((id) => id < 20 || id >= FIRST_SPECIAL || tokenTable.text(id) !== '?')).toBe(true)
    })
  })

  test('edited transcripts and header soup are ids', () => {
    for (const arbitrary of [editedTranscript({ tokenTable }), headerSoup({ tokenTable })])
      check(arbitrary, (ids) => expect(decode(ids).length).toBeGreaterThanOrEqual(0), 100)
  })
})

describe('without a token table', () => {
  test('a transcript without a token table is text, and nothing in it spells a marker that is not meant', () => {
    check(wellFormedTranscript(), (transcript) => {
      expect(Object.keys(transcript).sort()).toEqual(['entries', 'messages', 'request', 'text', 'textChunks'])
      expect(withoutBrackets(joined(transcript))).toBe(withoutBrackets(transcript.text))
      for (const { content } of transcript.messages) expect(spellsMarker(content)).toBe(false)
    })
  })

  test('a transcript without a token table is the same as with one', () => {
    const runs = { numRuns: 200, seed: 5 }
    const ids = fc.sample(wellFormedTranscript({ tokenTable }), runs)
    const texts = fc.sample(wellFormedTranscript(), runs)
    expect(texts.map(({ messages, textChunks }) => ({ messages, textChunks }))).toEqual(
      ids.map(({ messages, textChunks }) => ({ messages, textChunks })),
    )
  })

  test('malformed transcripts without a token table are of every shape but the one that only ids can say', () => {
    const shapes = new Set<MalformedShape>()
    check(
      malformedTranscript(),
      ({ shape, spelled, seenIn, textChunks, before, after }) => {
        shapes.add(shape)
        expect(spelled).toBe(false)
        expect(seenIn).not.toBe('')
        for (const { content } of [...before, ...after]) expect(joined({ textChunks })).toContain(content)
      },
      // So many that none is missing by chance.
      Math.max(RUNS, 1000),
    )
    expect([...shapes].sort()).toEqual(MALFORMED_SHAPES.filter((name) => name !== 'markers-in-tool-result').sort())
  })

  test.each([
    ['repeated-chanel', 'shapes: expected repeated-channel, got "repeated-chanel"'],
    ['missing start', 'shapes: expected missing-start, got "missing start"'],
    ['toString', 'shapes: expected a name out of MALFORMED_SHAPES, got "toString"'],
    [47, 'shapes: expected a name out of MALFORMED_SHAPES, got 47'],
  ])('an unknown shape is an error that lists the names near to it: %j', (name, message) => {
    expect(() => malformedTranscript({ shapes: [name as never] })).toThrow(message)
  })

  test('an empty list of shapes is an error', () => {
    expect(() => malformedTranscript({ shapes: [] })).toThrow('shapes: expected at least one shape')
  })

  test('what needs a token table says so', () => {
    expect(() => malformedTranscript({ shapes: ['markers-in-tool-result'] })).toThrow(
      'shapes: markers-in-tool-result: expected a tokenTable',
    )
    expect(() => fc.sample(wellFormedTranscript({ text: harmonyTextSpellingMarkers() }), 20)).toThrow(
      HarmonyResponsesError,
    )
  })

  test('soup is text with whole and halved markers', () => {
    const soups = fc.sample(textSoup(), { numRuns: 500, seed: 1 })
    expect(soups.some((text) => splitMarkers(text).includes(200006))).toBe(true)
    expect(soups.some((text) => text.includes('<|nothing|>'))).toBe(true)
    expect(soups).toContain('')
  })
})

describe('cutting', () => {
  test('cutting keeps every token and whose it is', () => {
    fc.assert(
      fc.property(wellFormedTranscript({ tokenTable }), chunkPlan({ scored: true }), ({ tokens, chunks }, plan) => {
        expect(flattenChunks(cutChunks(chunks, plan))).toEqual(tokens)
      }),
      { numRuns: RUNS },
    )
  })

  test('cutting keeps every character and whose it is', () => {
    fc.assert(
      fc.property(wellFormedTranscript(), textPlan(), ({ textChunks }, plan) => {
        const pieces = cutText(textChunks, plan)
        for (const by of ['host', 'model'] as const) {
          const of = (chunks: readonly TextChunk[]): string =>
            joined({ textChunks: chunks.filter((chunk) => saidBy(chunk) === by) })
          expect(of(pieces)).toBe(of(textChunks))
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('cutting refuses the other kind of chunk', () => {
    expect(() => cutChunks(['text'], [])).toThrow('cutChunks: expected ids (cutText splits text), got "text"')
    expect(() => cutChunks([{ host: 'text' }], [])).toThrow('cutText splits text')
    expect(() => cutText([5], [])).toThrow('cutText: expected text (cutChunks splits ids), got 5')
  })
})

describe('the output when a property fails', () => {
  test('a transcript is printed as its text and its tools', () => {
    expect(simplest(wellFormedTranscript({ tokenTable, calls: false }), ({ messages }) => messages.length > 1)).toBe(
      'Transcript("<|channel|>final<|message|><|end|><|start|>assistant<|channel|>final<|message|><|return|>", tools: [])',
    )
    const isCall = ({ tokens }: TokenStream): boolean => tokens.includes(200012)
    expect(simplest(wellFormedTranscript({ tokenTable }), isCall)).toBe(
      'Transcript("<|channel|>commentary to=functions.get_weather<|message|>{}<|call|>", tools: [function get_weather])',
    )
    const isAnswered = ({ textChunks }: TextStream): boolean => textChunks.some((chunk) => typeof chunk === 'object')
    expect(simplest(wellFormedTranscript(), isAnswered)).toBe(
      'Transcript("<|channel|>commentary to=functions.get_weather<|message|>{}<|call|>⟦<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|><|end|>⟧", tools: [function get_weather])',
    )
  })

  test('a malformed transcript is printed with its shape and where that was seen', () => {
    const isOpen = ({ open }: { open: boolean }): boolean => open
    expect(simplest(malformedTranscript({ shapes: ['cut-in-header'] }), isOpen)).toBe(
      'cut-in-header, cut in the header (vllm#45736): Transcript("", tools: [function bash])',
    )
    expect(
      simplest(malformedTranscript({ tokenTable, shapes: ['unknown-token-id'] }), ({ tokens }) =>
        tokens.includes(250000),
      ),
    ).toMatch(/^unknown-token-id, unknown id in \w+( \w+)* \(fuzzing of the official parser\): Transcript\(".*⟨250000⟩/)
  })

  test('soup is printed as ids with the words of tokens', () => {
    const isMessage = (ids: readonly number[]): boolean => ids.includes(200006) && ids.includes(12606)
    expect(simplest(tokenSoup(), isMessage)).toMatch(/^\[[^\]]*200006 <\|start\|>[^\]]*\]$/)
    expect(simplest(tokenSoup(), isMessage)).toContain('12606 "comment", 815 "ary"')
    expect(simplest(textSoup(), (text) => text.includes('<|end|>'))).toBe('"<|end|>"')
    const isEdited = (ids: readonly number[]): boolean => !ids.includes(200008)
    expect(simplest(editedTranscript({ tokenTable }), isEdited)).not.toMatch(/\d{4}/)
  })
})

test('the ids of token soup are what their names say', () => {
  const printed = new Map<number, string>()
  for (const soup of fc.sample(tokenSoup(), { numRuns: 300, seed: 3 }))
    for (const [, id, word] of fc.stringify(soup).matchAll(/(\d+) ("[^"]+")/g)) printed.set(Number(id), String(word))
  expect(printed.size).toBe(14)
  for (const [id, word] of printed) expect(JSON.stringify(tokenTable.text(id))).toBe(word)
})
