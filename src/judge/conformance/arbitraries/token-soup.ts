import type { Arbitrary, WeightedArbitrary } from 'fast-check'
import { SPECIAL as m, markerText, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import fc from './fast-check.js'
import { printedAs, showToken } from './stream-forms.js'
import { PLAIN, UNICODE } from './text.js'

/** The markers of a message. */
export const MARKERS: readonly number[] = [m.channel, m.start, m.end, m.message, m.constrain, m.return, m.call]
const RESERVED = [199998, 199999, 200000, 200001, 200004, 200009, 200013, 200018, 201087]
const UNKNOWN = [201088, 201089, 250000]
/** The words of headers as ids, so that soup needs no token table. */
const HEADER_TOKENS = {
  assistant: [173781],
  analysis: [35644],
  commentary: [12606, 815],
  final: [17196],
  ' to': [316],
  '=functions': [28, 44580],
  '.x': [3700],
  json: [4108],
  ' code': [3490],
  python: [29010],
  user: [1428],
  tool: [17952],
} as const
const { assistant, analysis, commentary, final, json } = HEADER_TOKENS
const TO_X = [...HEADER_TOKENS[' to'], ...HEADER_TOKENS['=functions'], ...HEADER_TOKENS['.x']]
/** Halves of characters, bytes that cannot start a character, and a token of text and half a character. */
const BYTES = [9552, 187, 186, 169, 254, 222, 124, 107, 172, 253, 240]
/** Ordinary tokens: `{}`, white space, words, a single character, a byte order mark. */
const WORDS = [12083, 220, 198, 2375, 13225, 55, 135596, 17, 0, 5574]

/** The text of header tokens for messages; longer words in pieces. */
const WORD_OF: ReadonlyMap<number, string> = new Map([
  ...Object.entries(HEADER_TOKENS).flatMap(([word, ids]): [number, string][] =>
    ids.length === 1 ? [[ids[0], word]] : [],
  ),
  [12606, 'comment'],
  [815, 'ary'],
  [28, '='],
  [44580, 'functions'],
])

/**
 * Up to 60 random token ids: mostly nonsense, sometimes a message. They include halves of characters, reserved ids, and
 * ids outside the vocabulary. A server must answer all of them with a complete stream. Shrinks to fewer ids, towards
 * `<|channel|>`.
 */
export function tokenSoup(): Arbitrary<number[]> {
  const one = (ids: readonly number[]): Arbitrary<readonly number[]> => fc.constantFrom(...ids).map((id) => [id])
  const messages = fc.constantFrom(
    [m.start, ...assistant],
    [m.channel, ...final, m.message],
    [m.channel, ...analysis, m.message],
    [...TO_X, m.channel, ...commentary, m.constrain, ...json],
  )
  const piece = fc.oneof<WeightedArbitrary<readonly number[]>[]>(
    { weight: 6, arbitrary: one(MARKERS) },
    { weight: 5, arbitrary: fc.constantFrom(...Object.values(HEADER_TOKENS)) },
    { weight: 3, arbitrary: one(WORDS) },
    { weight: 2, arbitrary: one(BYTES) },
    { weight: 1, arbitrary: one(RESERVED) },
    { weight: 1, arbitrary: one(UNKNOWN) },
    { weight: 1, arbitrary: fc.nat({ max: VOCABULARY_SIZE - 1 }).map((id) => [id]) },
    { weight: 1, arbitrary: messages },
  )
  return fc.array(piece, { maxLength: 40, size: 'max' }).map((pieces) => {
    const ids = pieces.flat().slice(0, 60)
    return printedAs(ids, () => `[${ids.map(showSoupToken).join(', ')}]`)
  })
}

function showSoupToken(id: number): string {
  const word = WORD_OF.get(id)
  if (word !== undefined) return `${id} ${JSON.stringify(word)}`
  return id >= m.startoftext && id < VOCABULARY_SIZE ? `${id} ${showToken(id)}` : String(id)
}

/**
 * Random text with literal markers and halves of them: the counterpart of `tokenSoup` for servers that read text.
 * Shrinks to fewer pieces, towards `<|channel|>`.
 */
export function textSoup(): Arbitrary<string> {
  const messages = fc.constantFrom(
    '<|start|>assistant',
    '<|channel|>final<|message|>',
    '<|channel|>analysis<|message|>',
    ' to=functions.x<|channel|>commentary<|constrain|>json',
  )
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...MARKERS.map(markerText)) },
    { weight: 5, arbitrary: fc.constantFrom(...Object.keys(HEADER_TOKENS)) },
    { weight: 3, arbitrary: fc.constantFrom(...PLAIN) },
    { weight: 2, arbitrary: fc.constantFrom(...UNICODE) },
    { weight: 1, arbitrary: fc.constantFrom(...RESERVED.map(markerText)) },
    { weight: 1, arbitrary: fc.constantFrom('<|', '|>', '<|channel', 'end|>', '<|nothing|>', '<|reserved_201088|>') },
    { weight: 1, arbitrary: messages },
  )
  return fc.array(piece, { maxLength: 40, size: 'max' }).map((pieces) => pieces.join(''))
}
