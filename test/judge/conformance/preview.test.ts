import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { preview, previewDifference } from '../../../src/judge/conformance/preview.js'
import { RUNS } from '../../support/runs.js'
import { BASES, damaged, setItem } from './invariants/streams.js'

const LONG = 'msg_0123456789abcdef0123456789abcdef0123456789abcdef0123456789'

describe('a value in a message', () => {
  test.each<[text: string, value: unknown]>([
    ['7', 7],
    ['"searching"', 'searching'],
    ['nothing', undefined],
    ['null', null],
    [`"${LONG}"`, LONG],
    ['[]', []],
    ['{}', {}],
    ['{"type":"message","content":[{"type":"a"}]}', { type: 'message', content: [{ type: 'a' }] }],
    ['{"a":{"b":{"c":{"d":{…}}}}}', { a: { b: { c: { d: { e: 1 } } } } }],
    [`"${'x'.repeat(77)}…"`, 'x'.repeat(200)],
    [`{"text":"${'x'.repeat(66)}…",…}`, { text: 'x'.repeat(200), more: 1 }],
    ['{"authorization":(hidden),"headers":(hidden)}', { authorization: 'Bearer sk-1', headers: { a: 'sk-2' } }],
    ['10n', 10n],
    ['a function', () => 1],
  ])('a value in a message is shown as %s', (text, value) => {
    expect(preview(value)).toBe(text)
  })

  test('a value in a message has 80 characters at most and never throws, whatever it is', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.string({ unit: codePoint }), fc.anything())
    fc.assert(
      fc.property(value, (value) => {
        expect(preview(value).length).toBeLessThanOrEqual(80)
      }),
      { numRuns: RUNS * 4 },
    )
  })

  test('a value in a message is whole JSON if that is short', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const json = JSON.stringify(value)
        if (json.length <= 30 && !json.includes(':(')) expect(preview(value)).toBe(json)
      }),
      { numRuns: RUNS },
    )
  })

  test('a value in a message takes no longer if it is a million fields wide or deep', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(preview(deep)).toBe('[[[[[…]]]]]')
    expect(preview(Array.from({ length: 1_000_000 }, () => 1)).length).toBeLessThanOrEqual(80)
  })
})

test('two texts are shown around the place at which they differ', () => {
  const text = 'The quick brown fox jumps over the lazy dog, and then it sleeps for a while.'
  expect(previewDifference('Hi you', 'Hi')).toEqual(['"Hi you"', '"Hi"'])
  expect(previewDifference(text, text.replace('sleeps', 'jumps'))).toEqual([
    '"…og, and then it sleeps for a while."',
    '"…og, and then it jumps for a while."',
  ])
})

test('arguments that are an object are the server’s fault, not the model’s', () => {
  const asObject = damaged(
    BASES.call(),
    setItem('function_call', { arguments: { city: 'Paris' } }, ['done', 'terminal']),
  )
  const found = (events: unknown) => checkEvents(events as never).find(({ rule }) => rule === 'function-arguments-json')
  expect(found(asObject)).toMatchObject({ fault: 'server', got: '{"city":"Paris"}' })
  const asText = damaged(BASES.call(), setItem('function_call', { arguments: '{"city":' }, ['done', 'terminal']))
  expect(found(asText)).toMatchObject({ fault: 'model' })
})
