import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkEvents,
  createCaptureChecker,
  reportOn,
  type StreamChunk,
} from '../../../../src/judge/conformance/index.js'
import { RUNS } from '../../../support/runs.js'
import { BASES, type BaseName, type Draft } from './streams.js'

/** The paths of all fields and elements in a value. */
function paths(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, field]) => paths(field, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** A good stream in which one field, at any depth, is any JSON value. */
const damaged: fc.Arbitrary<readonly Draft[]> = fc
  .constantFrom(...(Object.keys(BASES) as BaseName[]))
  .chain((base) => fc.tuple(fc.constant(base), fc.constantFrom(...paths(BASES[base])), fc.jsonValue()))
  .map(([base, path, value]) => {
    const chunks = structuredClone(BASES[base]) as Draft
    const parent = path.slice(0, -1).reduce((part, key) => part[key], chunks)
    parent[path.at(-1) as string] = value
    return chunks
  })

test('with any input, a checker throws nothing, and every violation has its place', () => {
  const anything = fc.oneof(damaged, fc.array(fc.jsonValue()) as fc.Arbitrary<readonly Draft[]>)
  fc.assert(
    fc.property(anything, (chunks) => {
      const violations = checkEvents(chunks as readonly StreamChunk[], { profile: 'chat' })
      for (const { position } of violations) expect(position).toBeLessThanOrEqual(chunks.length)
      const { causes, errors, warnings } = reportOn(chunks as readonly StreamChunk[], { profile: 'chat' })
      expect(errors + warnings).toBe(violations.length)
      expect(causes.length > 0).toBe(violations.length > 0)
    }),
    { numRuns: RUNS },
  )
})

test('a capture in any pieces gives the findings of the whole', () => {
  fc.assert(
    fc.property(damaged, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (chunks, sizes) => {
      const capture = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
        .map((data) => `data: ${data}\n\n`)
        .join('')
      const pieces: string[] = []
      for (let from = 0; from < capture.length; ) {
        const size = sizes[pieces.length % sizes.length] as number
        pieces.push(capture.slice(from, from + size))
        from += size
      }
      expect(findings(pieces)).toEqual(findings([capture]))
    }),
    { numRuns: RUNS },
  )
})

function findings(pieces: readonly string[]): unknown[] {
  const checker = createCaptureChecker({ profile: 'chat' })
  return [...pieces.flatMap((piece) => checker.push(piece)), ...checker.end()]
}
