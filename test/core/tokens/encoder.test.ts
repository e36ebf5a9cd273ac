import fc from 'fast-check'
import { encode as encodeByGptTokenizer } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import { createEncoder } from '../../../src/core/tokens/encoder.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { createTokenTable } from '../../../src/core/tokens/token-table.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { harmonyText, harmonyTextSpellingMarkers } from '../../support/arbitraries.js'
import { countWork } from '../../support/count-work.js'
import { NEW_LETTERS } from '../../support/new-letters.js'
import { loadOfficial, type Official } from '../../support/official-parser.js'
import { RUNS, sampled, sized } from '../../support/runs.js'
import { describeWithShared, goldenTraces } from '../../support/shared-data.js'
import { describeSlow } from '../../support/slow-suites.js'
import { decodeTokens, encodeHarmony, tokenBytes } from '../../support/tokens.js'

const table = await loadTokenTable()
const encode = createEncoder(table)

let official: Official
beforeAll(async () => {
  official = await loadOfficial()
}, 180_000)

const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      holds(value)
    }),
    { numRuns: RUNS },
  )

const isKnown = (text: string): boolean => !NEW_LETTERS.test(text)

const anyText = (): fc.Arbitrary<string> => fc.oneof(harmonyText(), harmonyTextSpellingMarkers())

/** Text of any code units at all, of the scripts that pieces are cut by, and of what lies at their edges. */
const rawText = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: codePoint, maxLength: 8 }),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
        fc.constantFrom(
          '\ud83d',
          '\ude00',
          '\ufeff',
          "'s",
          "'LL",
          "'\u017f",
          '\r\n',
          '\u0085',
          '\u00a0',
          '\u180e',
          '\u3000',
        ),
        fc.constantFrom(
          ' ',
          '  ',
          '\t',
          '/',
          '12345',
          'हिन्दी',
          'தமிழ்',
          'e\u0301_x',
          'ǅabc',
          'ʰ',
          '日本',
          '<|end|>',
          'ABCdef',
        ),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))

/** One piece and nothing else: small letters, in which the same pairs come again and again. */
const word = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom('a', 'e', 'i', 'n', 'r', 's', 't'), minLength: 1, maxLength: 120 }),
    fc.string({ unit: fc.constantFrom('中', '国', '的', 'ไ', 'क', 'é'), minLength: 1, maxLength: 60 }),
  )

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

const ranks = new Map(Array.from({ length: table.size }, (_, id) => [latin1(tokenBytes(id) ?? new Uint8Array()), id]))

/** Byte pair encoding as textbooks define it: scan all pairs, merge the first of the lowest rank, repeat. */
function mergeNaively(piece: string, ids: ReadonlyMap<string, number> = ranks): number[] {
  const parts = Array.from(latin1(new TextEncoder().encode(piece)))
  for (;;) {
    const found = parts.slice(1).map((part, at) => ids.get(`${parts[at]}${part}`) ?? Number.POSITIVE_INFINITY)
    const best = Math.min(...found)
    if (best === Number.POSITIVE_INFINITY) return parts.map((part) => ids.get(part) ?? Number.NaN)
    const at = found.indexOf(best)
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`)
  }
}

/** The same as `toWellFormed` in newer runtimes. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd')

describe('the ids of a text', () => {
  test.each([
    '',
    '\ufeffa\ufeff',
    ' \u0085x\u00a0 y\u180e',
    "it'S IT'ſ we'LL",
    '\ud800x',
    'x\udc00\ud800',
    'ab\r\n\r\n/ c',
  ])('the ids of a text are those of the official tokenizer: %j', (text) => {
    expect(encode(text)).toEqual(official.encodeOrdinary(text))
  })

  test('the ids of a text are those of the official tokenizer, with any text', () => {
    check(anyText().filter(isKnown), (text) => expect(encode(text)).toEqual(official.encodeOrdinary(text)))
    check(rawText().filter(isKnown), (text) => expect(encode(text)).toEqual(official.encodeOrdinary(text)))
  })

  test('the ids of every code point are those of the official tokenizer, in all company', { timeout: 120_000 }, () => {
    const BLOCK = 256
    const blocks = Array.from({ length: 0x110000 / BLOCK }, (_, block) => block * BLOCK)
    // Twice, since an eighth of them all takes seconds.
    for (const start of sampled(sampled(blocks))) {
      const letters = Array.from({ length: BLOCK }, (_, at) => String.fromCodePoint(start + at)).filter(isKnown)
      const text = letters.map((one) => `${one}a ${one}1${one}${one}'s${one}\n ${one}`).join('')
      expect(String(encode(text)), start.toString(16)).toBe(String(official.encodeOrdinary(text)))
    }
  })

  test.each([' ', '\n', ' \n', '\t', '\r\n', '\u3000', '\u0085', '\u2028 '])(
    'the ids of much white space are those of the official tokenizer: %j',
    { timeout: 120_000 },
    (unit) => {
      // The official tokenizer takes ten seconds for 100 kB, and a hundredth of that for a tenth.
      const size = RUNS >= 250 && unit === '\r\n' ? 100_000 : sized(10_000, 1200)
      const text = unit.repeat(size / unit.length)
      for (const around of [text, `a${text}`, `${text}a`, ` ${text}/`]) {
        expect(encode(around)).toEqual(official.encodeOrdinary(around))
        if (size > 10_000) break
      }
    },
  )

  test('the ids of lone surrogates are those of U+FFFD', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('a', ' ', '\n'),
    )
    // Two of them may be one new letter.
    check(fc.string({ unit, maxLength: 20 }).filter(isKnown), (text) => {
      expect(encode(text)).toEqual(encode(wellFormed(text)))
      expect(encode(text)).toEqual(official.encodeOrdinary(text))
    })
  })

  test('the ids of a text are those of gpt-tokenizer, where it is right', () => {
    // It loses byte order marks, and its \s is JavaScript's.
    const isRight = (text: string): boolean => !/[\ufeff\u0085\ud800-\udfff]/u.test(text)
    const none = { disallowedSpecial: new Set<string>() }
    check(harmonyText().filter(isRight), (text) => expect(encode(text)).toEqual(encodeByGptTokenizer(text, none)))
  })

  test('the ids of a text are those of merging pair by pair', () => {
    check(word(), (text) => expect(encode(text)).toEqual(mergeNaively(text)))
  })

  test('the ids of a text give back the text', () => {
    check(rawText(), (text) => expect(decodeTokens(encode(text))).toBe(wellFormed(text)))
  })

  test('the ids of a text are never special, regardless of the text', () => {
    expect(encode('<|end|>')).toEqual([27, 91, 419, 91, 29])
    check(harmonyTextSpellingMarkers(), (text) => {
      expect(encode(text).every((id) => id < FIRST_SPECIAL)).toBe(true)
    })
  })

  test('the text of a token that is one piece has the id of that token', () => {
    const wrong: number[] = []
    for (let id = 0; id < table.size; id += 7) {
      const text = table.text(id)
      if (text !== undefined && /^ ?[a-z]+$/.test(text) && String(encode(text)) !== String([id])) wrong.push(id)
    }
    expect(wrong).toEqual([])
  })
})

/** Words without end. */
const UNITS = ['a', 'A', 'aA', 'qzx', '中', '\u0301', '!', '\n', ' ', ' \n', "'", '7', '👩', '\ud800', '中A', 'я']

describe('an encoder', () => {
  test.each([...UNITS, 'ab'])('an encoder takes a word without end: %j', (unit) => {
    const text = unit.repeat(30_000 / unit.length)
    expect(decodeTokens(encode(text))).toBe(wellFormed(text))
  })

  test('an encoder holds no state: two of one table, in turn, and after an odd text', () => {
    const other = createEncoder(table)
    const texts = ['one two', '\ud83d', "it's", '  ', 'one two']
    expect(texts.map((text, at) => (at % 2 ? encode : other)(text))).toEqual(texts.map(official.encodeOrdinary))
  })

  test.each(['a', '\u00e9', '\u65e5', '\ud83c\udf05', '\ud800'])(
    'an encoder takes texts of every length, one after the other: %j',
    (character) => {
      for (const length of [1, 1022, 1023, 1024, 1025, 1026, 3072, 3073, 2]) {
        const text = character.repeat(Math.ceil(length / character.length))
        expect(encode(text)).toEqual(official.encodeOrdinary(Buffer.from(text).toString()))
      }
    },
  )

  test('an encoder needs a table that has every byte', () => {
    const bytes = (count: number): Uint8Array =>
      Uint8Array.from([...new Array(count).fill(1), ...Array.from({ length: count }, (_, byte) => byte)])
    expect(createEncoder(createTokenTable(bytes(256)))('aé')).toEqual([97, 195, 169])
    expect(() => createEncoder(createTokenTable(bytes(255)))).toThrow(
      'tokenTable: expected a token for every byte, got none for byte 255',
    )
    expect(() => createEncoder(createTokenTable(new Uint8Array()))).toThrow('got none for byte 0')
  })

  test('an encoder merges by the ids of its own table', () => {
    const tokens = [...Array.from({ length: 256 }, (_, byte) => [byte]), [98, 99], [97, 98], [97, 98, 99, 97]]
    const table = createTokenTable(Uint8Array.from([...tokens.map((token) => token.length), ...tokens.flat()]))
    // The lowest id first, and of one id the leftmost; the longest token is only reached by its parts.
    expect(createEncoder(table)('abcab')).toEqual([97, 256, 257])
  })
})

describe('the slices of an encoder', () => {
  const drain = (text: string, most?: number): { ids: number[] | undefined; pauses: number } => {
    const steps = encode.slices(text, most)
    let pauses = 0
    for (let step = steps.next(); ; step = steps.next(), pauses++) if (step.done) return { ids: step.value, pauses }
  }

  test('the slices of an encoder give the ids of the whole text, or undefined if there are more than wanted', () => {
    const sizes = fc.tuple(rawText(), fc.constantFrom(1, 1, 40, 400), fc.nat(2000))
    check(sizes, ([part, times, most]) => {
      const text = part.repeat(times)
      const ids = encode(text)
      expect(drain(text).ids).toEqual(ids)
      expect(drain(text, most).ids).toEqual(ids.length > most ? undefined : ids)
      expect(drain(text, ids.length).ids).toEqual(ids)
      if (ids.length > 0) expect(drain(text, ids.length - 1).ids).toBeUndefined()
    })
  })

  test.each(['a', ' ', '中A', 'word ', '!\n', 'я'])('the slices of an encoder are many in a long text: %j', (unit) => {
    const text = unit.repeat(200_000 / unit.length)
    const { ids, pauses } = drain(text)
    expect(ids).toEqual(encode(text))
    // A character is read, and its bytes are merged.
    expect(pauses).toBeGreaterThanOrEqual(5)
    expect(pauses).toBeLessThan(250)
  })

  test('the slices of an encoder end early where there are more ids than wanted', () => {
    for (const unit of ['a', 'word ', '中']) {
      const text = unit.repeat(300_000 / unit.length)
      expect(drain(text, 100)).toEqual({ ids: undefined, pauses: expect.any(Number) })
      expect(drain(text, 100).pauses).toBeLessThan(drain(text).pauses / 2)
    }
  })

  test('the slices of two texts do not disturb each other', () => {
    const texts = [
      `x ${'ab'.repeat(400)} y`,
      `${'cd'.repeat(60_000)} ${'e f '.repeat(40_000)}`,
      `z${' '.repeat(200_000)}`,
    ]
    const runs = texts.map((text) => ({ steps: encode.slices(text), ids: [] as readonly number[] | undefined }))
    let open = runs
    while (open.length > 0) {
      open = open.filter((run) => {
        const step = run.steps.next()
        if (step.done) run.ids = step.value
        return !step.done
      })
    }
    expect(runs.map(({ ids }) => ids)).toEqual(texts.map((text) => encode(text)))
  })
})

describe('a table whose ids are in any order', () => {
  test('a table whose ids are in any order is merged as it says, in short words and in long ones', () => {
    const token = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 5 })
    const tokens = fc.uniqueArray(token, { minLength: 1, maxLength: 30 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 300 })
    check(fc.tuple(tokens, text), ([merged, piece]) => {
      const all = [...Array.from({ length: 256 }, (_, byte) => [byte]), ...merged.map((one) => [...Buffer.from(one)])]
      const own = createTokenTable(Uint8Array.from([...all.map(({ length }) => length), ...all.flat()]))
      const ids = new Map(all.map((bytes, id) => [Buffer.from(bytes).toString('latin1'), id]))
      const whole = ids.get(piece)
      expect(createEncoder(own)(piece)).toEqual(whole === undefined ? mergeNaively(piece, ids) : [whole])
    })
  })
})

describeWithShared('the shared data', () => {
  test('the text of a golden trace encodes to its tokens, where the official tokenizer agrees', () => {
    const written = goldenTraces().flatMap(({ name, text, tokens }) => (text === null ? [] : [{ name, text, tokens }]))
    const agreed = written.filter(({ text, tokens }) => String(official.encode(text)) === String(tokens))
    expect(agreed.length).toBeGreaterThan(written.length * 0.9)
    for (const { name, text, tokens } of agreed) expect([name, encodeHarmony(text)]).toEqual([name, tokens])
  })
})

describeSlow('the work of an encoder', () => {
  test('an encoder does work that is linear in a word without end', { timeout: 120_000 }, async () => {
    const counter = await countWork<typeof import('../../../src/core/tokens/encoder.js')>('core/tokens/encoder.ts')
    const counted = counter.module.createEncoder(table)
    const letters = Array.from({ length: 20_000 }, (_, at) => String.fromCharCode(97 + ((at * at * 7 + at) % 26)))
    try {
      for (const unit of [...UNITS, letters.join('')]) {
        const [short, long] = [sized(5000, 1250), sized(20_000, 5000)].map((size) => {
          const text = unit.repeat(size / unit.length + 1).slice(0, size)
          return counter.count(() => void counted(text)) / size
        })
        expect(long, JSON.stringify(unit.slice(0, 9))).toBeLessThan(1.5 * (short ?? 0))
        expect(long).toBeLessThan(700)
      }
    } finally {
      counter.stop()
    }
  })

  test('the slices of an encoder do the same work each, in one word as in many', { timeout: 60_000 }, async () => {
    const counter = await countWork<typeof import('../../../src/core/tokens/encoder.js')>('core/tokens/encoder.ts')
    const counted = counter.module.createEncoder(table)
    try {
      for (const unit of ['a', 'qzx', ' ', '\u0301', 'some words ']) {
        const steps = counted.slices(unit.repeat(sized(300_000, 30_000) / unit.length))
        for (let isOver = false; !isOver; ) {
          const work = counter.count(() => {
            isOver = steps.next().done === true
          })
          expect(work).toBeLessThan(3_000_000)
        }
      }
    } finally {
      counter.stop()
    }
  })

  test('an encoder takes a word that overflows the stack of a regular expression', () => {
    expect(encode('я'.repeat(2 ** 22))).toHaveLength(2 ** 21)
  })
})
