import { constraintAfter } from '../../src/endpoint/respond/strict/constraint-after.js'
import type { Constraint, EngineCapabilities } from '../../src/engines/contract/index.js'
import { createMatcher } from '../../src/engines/grammar/index.js'
import { gbnfOf } from '../../src/engines/sources/gbnf.js'
import { atOnce } from '../../src/shared/slices.js'
import { allows, walk } from '../engines/grammar/walk.js'
import { everyRest } from './rests.js'
import { STRICT_BODIES } from './strict-bodies.js'
import { STRICT_SCHEMAS, TRAP_SCHEMAS } from './strict-schemas.js'

/** A grammar as an engine is sent it, and what our own matcher makes of texts. */
export interface JudgedGrammar {
  /** Its schema, with the text before it if it is of a rest. */
  readonly schema: string
  readonly grammar: string
  readonly texts: readonly { readonly text: string; readonly isAllowed: boolean }[]
}

/** A text on which an engine and our matcher disagree. */
export type Difference = readonly [schema: string, text: string, ours: boolean, theirs: boolean]

/** Schemas that those of the strict rows leave out, since a model without limits may write on forever: each with a body. */
const WIDER = {
  anyNumber: [{ type: 'number' }, -12.5e-7],
  anyPositive: [{ type: 'number', minimum: 0 }, 6.02e23],
  anything: [{}, { größe: [1, 'a', null, { b: false }] }],
  control: [{ enum: ['a\u007fb', '\u007f', 'c'] }, 'a\u007fb'],
  overlap: [{ type: 'string', pattern: '^a+ab$' }, 'aaab'],
  overlaps: [{ type: 'string', pattern: '^([a-z]+,)*[a-z]{2,3}-?[a-z]+x$' }, 'ab,cd,abcx'],
  twoOrThree: [{ type: 'string', pattern: '^(a{2,3}|é)*$' }, 'aaaaaéaa'],
} as const

/** One in so many of the rests of `everyRest`: it does not divide the number of tokens of most bodies. */
const ONE_REST_IN = 11
/** Bodies of regular expressions, where an escape and its character are two texts, with a part to continue. */
const REGEXES = [
  ['^gr(ö|\\\\u00f6)(ß|ss)e{1,3}$', 'größe', 'gr'],
  ['^[а-яё]{2,6}(, ?[😀-😎])?$', 'привет', 'при'],
  ['^"[^"\\\\]{0,12}"$', '"日本語 – a/b"', '"日'],
  ['^a\\tb\\n$', 'a\tb\n', 'a'],
  // The longest beginning of a part is not always the right one.
  ['^((\\\\){2,3}?)*$', '\\\\\\\\', '\\'],
  ['^[a-z]+(-[a-z]+)*x$', 'a-b-cx', 'a'],
  ['^(a|ab)(c|bcd)$', 'abcd', 'a'],
] as const

/** Every grammar in the form in which an engine with these capabilities is sent it. */
export function judgedGrammars(capabilities: EngineCapabilities): readonly JudgedGrammar[] {
  return everyGrammar().map(({ schema, constraint, body }) => {
    const grammar = sentGrammar(capabilities, constraint)
    const start = createMatcher(grammar)
    if (body !== undefined && !allows(start, body)) raise(`${schema}: our grammar refuses ${body}`)
    const texts = textsFor(grammar, body).map((text) => ({ text, isAllowed: allows(start, text) }))
    return { schema, grammar, texts }
  })
}

function sentGrammar(capabilities: EngineCapabilities, constraint: Constraint): string {
  const fitted = capabilities.fit === undefined ? undefined : atOnce(capabilities.fit(constraint)).constraint
  return fitted !== undefined && 'grammar' in fitted ? fitted.grammar : raise('the engine is sent no grammar')
}

/** The texts on which an engine disagrees, from its verdicts in the same order. */
export function differencesOf(
  judged: readonly JudgedGrammar[],
  verdicts: readonly (readonly boolean[])[],
): readonly Difference[] {
  return judged.flatMap(({ schema, texts }, nth) =>
    texts.flatMap(({ text, isAllowed }, at): Difference[] => {
      const theirs = verdicts[nth]?.[at] ?? raise(`${schema}: no verdict on ${text}`)
      return theirs === isAllowed ? [] : [[schema, text, isAllowed, theirs]]
    }),
  )
}

/** How many texts our matcher allows, and how many it refuses. */
export function countsOf(judged: readonly JudgedGrammar[]): { readonly allowed: number; readonly refused: number } {
  const all = judged.flatMap(({ texts }) => texts)
  const allowed = all.filter(({ isAllowed }) => isAllowed).length
  return { allowed, refused: all.length - allowed }
}

interface Source {
  readonly schema: string
  readonly constraint: Constraint
  /** A text that it allows; some schemas have none but those that are drawn. */
  readonly body?: string
}

function everyGrammar(): readonly Source[] {
  const whole = Object.entries({ ...STRICT_SCHEMAS, ...TRAP_SCHEMAS }).map(([schema, jsonSchema]): Source => {
    // As GBNF already: xgrammar is sent some of these schemas as they are, which says nothing about our grammars.
    const constraint = { grammar: gbnfOf({ jsonSchema }), syntax: 'gbnf', isJson: true } as const
    const body = STRICT_BODIES[schema]
    return { schema, constraint, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  })
  const wider = Object.entries(WIDER).flatMap(([schema, [jsonSchema, value]]): Source[] => {
    const body = JSON.stringify(value)
    const before = body.slice(0, 3)
    const { constraint } = atOnce(constraintAfter({ jsonSchema }, before, ['gbnf'])) ?? raise(`no rest of ${schema}`)
    return [
      { schema, constraint: { grammar: gbnfOf({ jsonSchema }), syntax: 'gbnf', isJson: true }, body },
      { schema: `${schema} after ${before}`, constraint, body: body.slice(before.length) },
    ]
  })
  const rests = everyRest().flatMap(({ schema, before, after, constraint }, nth): Source[] =>
    nth % ONE_REST_IN === 0 ? [{ schema: `${schema} after ${before}`, constraint, body: after }] : [],
  )
  const regexes = REGEXES.flatMap(([regex, body, before]): Source[] => {
    const { constraint } = atOnce(constraintAfter({ regex }, before, ['gbnf'])) ?? raise(`no rest of ${regex}`)
    return [
      { schema: regex, constraint: { grammar: gbnfOf({ regex }), syntax: 'gbnf' }, body },
      { schema: `${regex} after ${before}`, constraint, body: body.slice(before.length) },
    ]
  })
  return [...whole, ...wider, ...rests, ...regexes]
}

/** How many texts are drawn from a grammar, and the number of their drawn characters. */
const WALKS = [0, 1, 2, 5, 9, 20, 40, 80]
/** In how many places of a text something is changed. */
const PLACES = 6

/** Contents of a JSON string, in the forms in which a model may write them; the last ones are no JSON, or no text. */
const CONTENTS = [
  ...['', 'größe', 'gr\\u00f6\\u00DFe', 'gro\u0308sse', '日本語', '\\u65e5', 'é', 'ÿ', 'Ā', '߿', 'ࠀ', '\uffff'],
  ...['😀', '\\ud83d\\ude00', '🌦️ sun', '\u{10000}', '\u{10ffff}', '\u2028', '\u007f', '\u0080', '\u00a0'],
  ...['\\"', '\\\\', '\\/', '/', '\\b\\f\\n\\r\\t', '\\u0000', '\\u001f', '\\u001F', '\\u0022', '\\u005c', '\\u0041'],
  ...['\n', '\t', '\u0000', '\u0001', '\u001f', '\\', '\\x41', '\\u12', '\\ud800', '\\ude00', '\\ud83dx', "'", '"'],
]
const NUMBERS = ['0', '-0', '00', '7', '-1', '+1', '1.0', '0.5', '.5', '1.', '1e2', '1E-2', '99999', '1'.repeat(40)]
const WORDS = ['true', 'True', 'null', 'nul', '{}', '[]', '[ ]', '"a"', "'a'"]
/** Takes the place of a character, or comes before it. */
const STRAYS = [' ', '   ', '\n', '\u0001', 'x', '9', 'ö', '🌦', '"', '\\', ',']

/** Texts to judge: some that the grammar allows, and each of them changed, by which most become wrong. */
function textsFor(grammar: string, body: string | undefined): readonly string[] {
  const start = createMatcher(grammar)
  const random = drawn(grammar.length)
  const walks = WALKS.map((length) => walk(start, Array.from({ length }, random)))
  const right = [...(body === undefined ? [] : [body]), ...walks].filter((text) => !/\p{Surrogate}/u.test(text))
  const changed = right.flatMap((text, nth) => (nth < 3 ? [...respelled(text), ...damaged(text)] : cut(text)))
  return [...new Set([...right, ...changed])]
}

/** A text with other strings, numbers and words in the places of its own. */
function respelled(text: string): readonly string[] {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/gu)].map((one) => ({ at: one.index, length: one[0].length }))
  const values = [...text.matchAll(/-?\d[\d.eE+-]*|true|false|null/gu)].map((one) => ({
    ...{ at: one.index, length: one[0].length },
  }))
  const put = ({ at, length }: { at: number; length: number }, other: string): string =>
    text.slice(0, at) + other + text.slice(at + length)
  return [
    ...some(strings, 4).flatMap((place) => CONTENTS.map((content) => put(place, `"${content}"`))),
    ...some(values, 3).flatMap((place) => [...NUMBERS, ...WORDS].map((value) => put(place, value))),
    ...some(strings, 2).flatMap((place) => WORDS.map((value) => put(place, value))),
  ]
}

/** A text with one mistake each. */
function damaged(text: string): readonly string[] {
  const characters = Array.from(text)
  const places = some([...characters.keys()], PLACES)
  const replaced = (at: number, count: number, other: string): string => characters.toSpliced(at, count, other).join('')
  return [
    ...cut(text),
    ...places.flatMap((at) => [
      ...STRAYS.flatMap((stray) => [replaced(at, 1, stray), replaced(at, 0, stray)]),
      ...[replaced(at, 1, ''), replaced(at, 0, characters[at] ?? '')],
    ]),
    ...[text.replace(/\}$/, ',"extra":1}'), text.replace('{', '{"extra":1,'), text.replace(/"[^"]*":[^,{}]*,/, '')],
    ...[text.replace(/\]$/, ',0]'), text.toUpperCase(), text.normalize('NFD'), escapedLetters(text)],
    ...[text.replace('ß', 'ss'), text.replaceAll(':', ': '), text.replaceAll(/([,:])/g, '$1  ')],
  ]
}

/** A text that ends too early, or too late. */
function cut(text: string): readonly string[] {
  const characters = Array.from(text)
  return [
    characters.slice(0, -1).join(''),
    characters.slice(0, -2).join(''),
    ...['}', ' ', '0', '"'].map((one) => text + one),
  ]
}

/** With an escape in the place of each letter that is not in ASCII. */
function escapedLetters(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** So many, evenly spaced, the first and the last among them. */
function some<Item>(all: readonly Item[], most: number): readonly Item[] {
  if (all.length <= most) return all
  return Array.from({ length: most }, (_, nth) => all[Math.round((nth * (all.length - 1)) / (most - 1))] as Item)
}

/** Numbers below 2 ** 16 that are the same in each run: a linear congruential generator. */
function drawn(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 16
  }
}

function raise(message: string): never {
  throw new Error(message)
}
