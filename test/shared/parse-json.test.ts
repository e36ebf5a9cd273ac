import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../src/shared/parse-json.js'
import { atOnce, createWork } from '../../src/shared/slices.js'
import { runs } from '../support/runs.js'

const small = { whole: 0, piece: 1 }
const inPieces = (text: string, size: object = small) => atOnce(parseJson(text, createWork(1), size))

/** What came of it, with the order of fields and own `__proto__`; or that it was refused. */
function outcome(parse: () => unknown): unknown {
  try {
    return ordered(parse())
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error
  }
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : value
  if (Array.isArray(value)) return value.map(ordered)
  return { prototype: Object.getPrototypeOf(value) === Object.prototype, fields: Object.entries(value).map(ordered) }
}

const spaced = fc.constantFrom('', ' ', '\n\t')
const names = fc.constantFrom('', '__proto__', 'a', '1', '\\u0061', 'constructor')
const strings = fc.oneof(fc.string(), fc.constantFrom(',', '[', '}', '\\', '"', '{"a":[1,', '💡'))
const { value: texts } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    strings.map((text) => JSON.stringify(text)),
    fc.constantFrom('0', '-0', '1e3', 'true', 'null', '"\\u00e9"'),
    fc.tuple(fc.array(tie('value')), spaced).map(([all, space]) => `[${space}${all.join(`${space},`)}${space}]`),
    fc
      .tuple(fc.array(fc.tuple(names, tie('value'))), spaced)
      .map(([all, space]) => `{${all.map(([name, value]) => `${space}"${name}"${space}:${value}`).join(',')}}`),
  ),
}))

describe('JSON that is parsed in pieces', () => {
  test('is the same value, whatever it is and wherever it is cut', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (text, piece) => {
        expect(outcome(() => inPieces(text, { whole: 0, piece }))).toEqual(outcome(() => JSON.parse(text)))
      }),
      { numRuns: runs(5000) },
    )
  })

  test('is refused where JSON.parse refuses it, whatever is changed in it', () => {
    const changes = fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', ' ', '1', '\\')),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    fc.assert(
      fc.property(texts, changes, fc.nat(5), fc.boolean(), (text, all, piece, isInserted) => {
        let changed = text
        for (const [place, by] of all) {
          const at = place % (changed.length + 1)
          changed = changed.slice(0, at) + by + changed.slice(isInserted ? at : at + 1)
        }
        expect(outcome(() => inPieces(changed, { whole: 0, piece }))).toEqual(outcome(() => JSON.parse(changed)))
      }),
      { numRuns: runs(10_000) },
    )
  })

  test.each([
    '[1,]',
    '[,1]',
    '[[,1]]',
    '[{,"a":1}]',
    '[1 2]',
    '[[1,2] 3,4]',
    '{"a":[1,2]"b":3}',
    '[1,2]]',
    '[1,2',
    '{"a":[1,2}',
    '1,2',
    '[1,2],',
    '[1,2] 3',
    '{"a":1,}',
    '{"a":{"b":1,}}',
    '[1,,2]',
    '["a]',
    '',
    ' ',
    '[1,2}',
  ])('%s is refused', (text) => {
    expect(outcome(() => JSON.parse(text))).toBe('refused')
    expect(outcome(() => inPieces(text))).toBe('refused')
  })

  test('lets other work run between its pieces, if it is long', () => {
    const pausesOf = (value: unknown) => {
      const slices = parseJson(JSON.stringify(value), createWork())
      let pauses = 0
      for (let step = slices.next(); !step.done; step = slices.next()) pauses += 1
      return pauses
    }
    expect(
      pausesOf(Array.from({ length: 100_000 }, (_, at) => ({ role: 'user', content: `Message ${at}` }))),
    ).toBeGreaterThan(10)
    expect(pausesOf({ input: 'a'.repeat(100_000) })).toBe(0)
  })
})
