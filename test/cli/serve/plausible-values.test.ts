import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exampleArguments } from '../../../src/cli/serve/replay/example-arguments.js'
import { plausibleValues } from '../../../src/cli/serve/replay/plausible-values.js'
import { typescriptOf } from '../../../src/endpoint/prompt/schema/typescript.js'
import { RUNS } from '../../support/runs.js'

const text = { type: 'string' } as const

function object(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

const filled = (properties: Record<string, object>, said: string): unknown =>
  exampleArguments(typescriptOf(object(properties)), said)

describe('values by the words of the user', () => {
  test.each([
    ['What is the weather in Oslo?', { city: text }, { city: 'Oslo' }],
    [
      "What's the weather like in Oslo, in celsius?",
      { location: text, unit: { enum: ['fahrenheit', 'celsius'] } },
      { location: 'Oslo', unit: 'celsius' },
    ],
    [
      'Alice and Bob are going to a science fair on Friday.',
      { name: text, date: text, participants: { type: 'array', items: text } },
      { name: 'science fair', date: 'Friday', participants: ['Alice', 'Bob'] },
    ],
    ['Add 12 and 30.5.', { a: { type: 'number' }, b: { type: 'number' } }, { a: 12, b: 30.5 }],
    ['Write to ann@house.org', { email: { ...text, format: 'email' } }, { email: 'ann@house.org' }],
    ['Find "otters at sea" for me', { query: text }, { query: 'otters at sea' }],
    ['Find otters', { query: text }, { query: 'Find otters' }],
    ['Hello', { city: { ...text, examples: ['Bergen', 'Oslo'] } }, { city: 'Bergen' }],
    [
      'Hello',
      { city: text, day: { ...text, format: 'date' }, n: { type: 'integer' } },
      { city: 'Paris', day: '2026-01-31', n: 1 },
    ],
    [
      'How is it with David?',
      { first_name: text, isKnown: { type: 'boolean' } },
      { first_name: 'David', isKnown: true },
    ],
    ["What's up with the dogs' bowl?", { query: text }, { query: "What's up with the dogs' bowl?" }],
    ['Read src/main.ts', { path: text }, { path: 'src/main.ts' }],
  ])('%s', (said, properties, expected) => {
    expect(filled(properties as Record<string, object>, said)).toEqual(expected)
  })

  test('no text is empty, whatever the user says and the property is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (said, name, format) => {
        const values = plausibleValues(said)
        expect(values.text({ name, format })).not.toBe('')
        expect(values.texts({ name, format }).length).toBeGreaterThan(0)
        expect(Number.isFinite(values.number())).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  test('a long text is read in linear time, and only its beginning', () => {
    for (const unit of ['a', 'A ', '"', "'x", 'the ', '1.', '-1', 'a@', 'http://', 'a/', '\n', 'A and ']) {
      const said = unit.repeat(2_000_000 / unit.length)
      const began = process.cpuUsage()
      const values = plausibleValues(said)
      for (const name of ['city', 'email', 'url', 'path', 'date', 'query', 'name', 'x']) values.text({ name })
      const { user } = process.cpuUsage(began)
      expect(user / 1000, JSON.stringify(unit)).toBeLessThan(1_000)
    }
  })
})
