import { describe, expect, test } from 'vitest'
import { typescriptInSlices, typescriptOf } from '../../../../src/endpoint/prompt/schema/typescript.js'
import { createWork } from '../../../../src/shared/slices.js'

const MANY = 1_000
const named = (value: (at: number) => unknown): unknown =>
  Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`name_${at}`, value(at)]))
const list = (value: (at: number) => unknown): unknown => Array.from({ length: MANY }, (_, at) => value(at))
const part = (at: number): unknown => ({ type: 'object', properties: { [`name_${at}`]: { type: 'string' } } })

const LARGE: Readonly<Record<string, unknown>> = {
  properties: { type: 'object', properties: named(() => ({ type: 'string' })) },
  'properties inside others': {
    type: 'object',
    properties: { a: { type: 'object', properties: named(() => ({ type: 'string' })) } },
  },
  'properties of a definition that leads back to itself': {
    $defs: { node: { type: 'object', properties: named(() => ({ $ref: '#/$defs/node' })) } },
    $ref: '#/$defs/node',
  },
  'required names': { required: Array.from({ length: 20_000 }, (_, at) => `name_${at}`) },
  'required names beside a type': { type: 'object', required: Array.from({ length: 20_000 }, (_, at) => `name_${at}`) },
  patterns: { type: 'object', patternProperties: named(() => ({ type: 'string' })) },
  variants: { oneOf: list(part) },
  'variants of a property': { type: 'object', properties: { a: { anyOf: list(part) } } },
  parts: { allOf: list(part) },
  'entries of a tuple': { type: 'array', prefixItems: list(part) },
  values: { enum: list((at) => `one of the values, number ${at}`) },
}

/** The text, and how often it paused. */
function written(schema: unknown): { text: string; pauses: number } {
  const slices = typescriptInSlices(schema, createWork())
  for (let pauses = 0; ; pauses++) {
    const step = slices.next()
    if (step.done) return { text: step.value, pauses }
  }
}

describe('a schema is written in slices', () => {
  test.each(Object.entries(LARGE))('of %s', (_, schema) => {
    const { text, pauses } = written(schema)
    expect(text).toBe(typescriptOf(schema))
    // No slice has more than some 4,000 characters.
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / 6_000))
    expect(pauses).toBeGreaterThanOrEqual(4)
  })

  test('of which two do not disturb each other', () => {
    const open = Object.values(LARGE).map((schema) => ({ schema, slices: typescriptInSlices(schema, createWork(500)) }))
    const texts = new Map<unknown, string>()
    while (texts.size < open.length) {
      for (const { schema, slices } of open) {
        if (texts.has(schema)) continue
        const step = slices.next()
        if (step.done) texts.set(schema, step.value)
      }
    }
    for (const { schema } of open) expect(texts.get(schema)).toBe(typescriptOf(schema))
  })

  test('but for a small one, which is written at once', () => {
    expect(written({ type: 'object', properties: { a: { type: 'string' } } }).pauses).toBe(0)
  })
})
