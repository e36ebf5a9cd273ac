import type { Arbitrary } from 'fast-check'
import { codePoint } from './code-point.js'
import fc from './fast-check.js'
import { spellsMarker } from './markers.js'

/** Harmless pieces, and pieces of headers and markers. */
export const PLAIN: readonly string[] = [
  'Hello',
  ' world',
  'The answer is 42.',
  ' assistant',
  'analysis',
  ' to=functions.x',
  'commentary json',
  '{"a": 1}',
  '```ts\nconst x = 1\n```',
  'line\r\n\r\nline\n',
  ' ',
  '\n\n',
  '\t',
  "it's",
  '12345',
  '<',
  '<|',
  '<|en',
  '|>',
  '<|unknown|>',
  '【4†L5-L7】',
  'https://example.com/?q=1&b=2',
]

/** Text that is hard to split, measure or print. */
export const UNICODE: readonly string[] = [
  'é',
  'e\u0301',
  'Z\u0335\u0321\u0352a\u0301\u0327\u0323l\u034ego',
  '日本語',
  '龘靐齉',
  '안녕하세요',
  '각',
  'こんにちは、世界。',
  'नमस्ते',
  'שָׁלוֹם',
  '\u202bمرحبا\u202c',
  'Γειά σου',
  'ﬃ',
  '😊',
  '👨‍👩‍👧‍👦',
  '👋🏾',
  '🏳️‍🌈',
  '🇺🇸🇩🇪',
  '1️⃣',
  '💖'.repeat(3),
  '\ufeff',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\u200b\u200d',
  '\u0000',
  '\u001b[0m',
  '\ufffd',
  '\uffff',
  '\ue000',
  '𝕳𝖆',
  '\u{10ffff}',
]

const textPiece = (): Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PLAIN) },
    { weight: 4, arbitrary: fc.constantFrom(...UNICODE) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 3 }) },
  )

/**
 * Ordinary text, often in several scripts, sometimes empty: emoji of many code points, combining marks, right-to-left
 * text, control characters, halves of markers, and words of headers. It is valid UTF-8 and spells no marker. Shrinks to
 * fewer and simpler pieces, down to ''.
 */
export function harmonyText(): Arbitrary<string> {
  return fc
    .array(textPiece(), { maxLength: 8 })
    .map((pieces) => pieces.join(''))
    .filter((text) => !spellsMarker(text))
}

const SPELLED = [
  '<|end|>',
  '<|start|>assistant',
  '<|channel|>final<|message|>',
  '<|call|>',
  '<|return|>',
  '<|message|>',
  '<|constrain|>json',
  '<|endoftext|>',
  '<|reserved_200013|>',
  '<|end|><|start|>assistant<|channel|>commentary to=functions.x<|message|>{}<|call|>',
]

/**
 * Ordinary text that spells at least one marker, as when a model explains Harmony. Only ids can express that it is not
 * a marker, so use it with a token table. Shrinks to `<|end|>`.
 */
export function harmonyTextSpellingMarkers(): Arbitrary<string> {
  const pair = fc.tuple(fc.constantFrom(...SPELLED), harmonyText())
  return fc
    .tuple(harmonyText(), fc.array(pair, { minLength: 1, maxLength: 3 }))
    .map(([before, pairs]) => before + pairs.map(([marker, after]) => marker + after).join(''))
}

const WORDS = 'need to check the weather first so U.S. CPI — let’s 日本語 naïve 42'.split(' ')

/** Words with single spaces in between, starting like a sentence, and without words of headers. */
export const prose = (minWords = 2): Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('We', 'I', 'The', 'Okay', 'Ça'),
      fc.array(fc.constantFrom(...WORDS), { minLength: minWords - 1, maxLength: minWords + 6 }),
    )
    .map(([first, words]) => [first, ...words].join(' '))

/** A JSON object, such as the arguments of a call. */
export const jsonObject = (): Arbitrary<string> =>
  fc
    .dictionary(fc.constantFrom('location', 'path', 'n', 'q'), fc.jsonValue({ maxDepth: 1, stringUnit: 'grapheme' }), {
      maxKeys: 3,
    })
    .map((value) => JSON.stringify(value))
    .filter((text) => !spellsMarker(text))

/** Arguments of a call, including those of built-in tools. */
export const json = (): Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom('{}', '{"location":"SF"}'),
    fc.constantFrom('{"query":"tides","topn":5}', '{"id":2,"cursor":0}', '{"pattern":"moon"}', '{"cmd":["ls","-a"]}'),
    jsonObject(),
  )

/** A program, for tools that run code. */
export const code = (): Arbitrary<string> =>
  fc.constantFrom('print(1)', 'import sys, subprocess\nprint("x" * 3)\n', 'ls -R | head', '# Ümlaut 💖\n\tx = {}')
