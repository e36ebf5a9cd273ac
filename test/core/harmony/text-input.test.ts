import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMarkerLexer } from '../../../src/core/harmony/text-input.js'
import {
  FIRST_SPECIAL,
  MAX_MARKER_LENGTH,
  markerText,
  SPECIAL,
  VOCABULARY_SIZE,
} from '../../../src/core/harmony/vocabulary.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { RUNS } from '../../support/runs.js'

type Lexeme = string | number

/** Every spelling of a special token, with its id. */
const spellings = new Map<string, number>([['<|endofprompt|>', 200_018]])
for (let id = FIRST_SPECIAL; id < VOCABULARY_SIZE; id++) spellings.set(markerText(id), id)
const anySpelling = new RegExp(
  `(${[...spellings.keys()].map((spelling) => spelling.replaceAll('|', '\\|')).join('|')})`,
)

/** The oracle: the whole text, split at every spelling there is. */
function split(text: string): Lexeme[] {
  return text
    .split(anySpelling)
    .filter((part) => part !== '')
    .map((part) => spellings.get(part) ?? part)
}

/** Markers, halves of markers, near-markers, and characters of two units, in any order. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...spellings.keys()),
      fc.constantFrom('<|channel|>', '<|message|>', '<|end|>', '<|foo|>', '<||>', '<|END|>', '<|reserved_201088|>'),
      fc.constantFrom('<', '|', '>', '<|', '|>', '<|cha', 'nnel|>', '<|channel|', 'channel', 'a < b ', '<<', '\n'),
      fc.constantFrom('\u{1F496}', '\uD83D', '\uDC96', 'é'),
      fc.string({ unit: codePoint }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

const cuttings = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 20 })

/** Cuts the text into pieces of these lengths, over and over; the rest is the last piece. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  let start = 0
  for (const length of lengths) {
    pieces.push(text.slice(start, start + length))
    start += length
  }
  return [...pieces, text.slice(start)]
}

/** A sink that keeps its calls. */
function createSink() {
  const calls: Lexeme[] = []
  return { calls, text: (text: string) => void calls.push(text), marker: (id: number) => void calls.push(id) }
}

/** The lexemes call by call. */
function lexCalls(pieces: readonly string[]): Lexeme[] {
  const sink = createSink()
  const lexer = createMarkerLexer(sink)
  for (const piece of pieces) lexer.push(piece)
  lexer.flush()
  return sink.calls
}

/** The lexemes with the texts between two markers put together. */
function join(calls: readonly Lexeme[]): Lexeme[] {
  const lexemes: Lexeme[] = []
  for (const call of calls) {
    const last = lexemes.at(-1)
    if (typeof call === 'string' && typeof last === 'string') lexemes[lexemes.length - 1] = last + call
    else lexemes.push(call)
  }
  return lexemes
}

/** The text that one push releases, and the text that it holds back. */
function feed(text: string): { released: string; held: string } {
  const sink = createSink()
  const lexer = createMarkerLexer(sink)
  lexer.push(text)
  return { released: sink.calls.join(''), held: lexer.held() }
}

describe('the marker lexer', () => {
  it('the marker lexer finds what splitting the whole text finds, wherever the text is cut', () => {
    fc.assert(
      fc.property(text, cuttings, (text, lengths) => {
        expect(join(lexCalls(cut(text, lengths)))).toEqual(split(text))
      }),
      { numRuns: RUNS },
    )
  })

  it('the marker lexer finds the same one character at a time', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(join(lexCalls(text.split('')))).toEqual(split(text))
      }),
      { numRuns: RUNS },
    )
  })

  it('the marker lexer continues from a snapshot as if nothing had happened', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 40 }), (text, at) => {
        const sink = createSink()
        const first = createMarkerLexer(sink)
        first.push(text.slice(0, at))
        const second = createMarkerLexer(sink, first.held())
        second.push(text.slice(at))
        second.flush()
        expect(join(sink.calls)).toEqual(split(text))
      }),
      { numRuns: RUNS },
    )
  })

  it('the marker lexer never holds back as much as a whole marker', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(feed(text).held.length).toBeLessThan(MAX_MARKER_LENGTH)
      }),
      { numRuns: RUNS },
    )
  })

  it('the marker lexer calls the sink once for a run of text', () => {
    const calls = lexCalls(['one <b> <|two|> < three<|end|>four'])
    expect(calls).toEqual(['one <b> <|two|> < three', SPECIAL.end, 'four'])
  })

  it('the marker lexer never calls the sink with empty text', () => {
    expect(lexCalls(['', '<|start|><|end|>', ''])).toEqual([SPECIAL.start, SPECIAL.end])
  })

  it('the marker lexer knows every special token by its spelling', () => {
    expect(lexCalls([...spellings.keys()])).toEqual([...spellings.values()])
  })

  it.each(['<', '<|', '<|cha', '<|channel', '<|channel|', '<|foo', '\uD83D'])(
    'the marker lexer holds back %j',
    (half) => {
      expect(feed(`text${half}`)).toEqual({ released: 'text', held: half })
    },
  )

  it.each(['a < b ', '<|not a marker', '<|Channel', '<||', '<|foo|>', '<|foo| ', '\u{1F496}'])(
    'the marker lexer does not hold back %j',
    (text) => {
      expect(feed(text)).toEqual({ released: text, held: '' })
    },
  )

  it('the marker lexer does not hold back a word that is too long for a marker', () => {
    const text = '<|a_word_longer_than_any'
    expect(feed(text)).toEqual({ released: text, held: '' })
  })

  it.each(['<', '<|'])('the marker lexer holds back only the last of an endless row of %j', (half) => {
    expect(feed(half.repeat(1000))).toEqual({ released: half.repeat(999), held: half })
  })

  it('the marker lexer releases half a marker at the end as text', () => {
    expect(lexCalls(['<|end|><|cha'])).toEqual([SPECIAL.end, '<|cha'])
  })

  it('the marker lexer holds nothing after a flush', () => {
    const lexer = createMarkerLexer(createSink(), '<|cha')
    lexer.flush()
    expect(lexer.held()).toBe('')
  })

  it('the marker lexer does not end a text inside a surrogate pair', () => {
    expect(lexCalls(['love \uD83D', '\uDC96'])).toEqual(['love ', '\u{1F496}'])
  })
})
