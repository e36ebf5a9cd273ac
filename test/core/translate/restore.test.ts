import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TranslatorSnapshot } from '../../../src/core/translate/translator-snapshot.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { Translator } from '../../support/translator.js'
import { fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, FIXED } from './run.js'

/** A snapshot with every field filled: a waiting call, an open item, half a header. */
function snapshots(): TranslatorSnapshot[] {
  const run = createRun({ request: { tools: [fn('f'), mcp('github')], metadata: { a: 'b' } } })
  const chunks = [
    '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant',
    callTo('github.search', '{"q":1}'),
    '<|call|><|start|>assist',
    'ant<|channel|>final<|message|>Hi',
    '<|end|>',
  ]
  return chunks.map((chunk) => {
    run.push(chunk)
    return JSON.parse(JSON.stringify(run.translator.snapshot()))
  })
}

type Path = readonly (string | number)[]

/** The paths of everything in a value. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (Object(value) !== value) return [path]
  return [path, ...Object.entries(value as object).flatMap(([key, part]) => pathsOf(part, [...path, key]))]
}

/** A copy with another value at a path; without the field, if the value is undefined. */
function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  const part = changed(copy[key], rest, to)
  if (part === undefined) delete copy[key]
  else copy[key] = part
  return copy
}

const oddValue = fc.constantFrom<unknown>(undefined, null, 0, -1, 1.5, '', 'x', true, [], {}, [null], { a: 1 })

describe('a snapshot that is not what snapshot() gave', () => {
  test('a snapshot that is not what snapshot() gave is refused with a typed error, whatever was changed in it', () =>
    fc.assert(
      fc.property(fc.constantFrom(...snapshots()), fc.nat(), oddValue, (snapshot, at, value) => {
        const paths = pathsOf(snapshot)
        const path = paths[at % paths.length] as Path
        const damaged = changed(snapshot, path, value)
        fc.pre(JSON.stringify(damaged) !== JSON.stringify(snapshot))
        expect(() => Translator.restore(damaged as TranslatorSnapshot, FIXED)).toThrow(
          expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_snapshot' }),
        )
      }),
    ))

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a number', 5],
    ['text', 'snapshot'],
    ['an array', []],
    ['what cannot be copied', { version: 1, state: () => {} }],
    ['a version alone', { version: 1 }],
  ])('a snapshot that is not what snapshot() gave is refused: %s', (_, snapshot) => {
    expect(() => Translator.restore(snapshot as TranslatorSnapshot, FIXED)).toThrow(HarmonyResponsesError)
  })

  test('a snapshot that is not what snapshot() gave is refused if it is cut off', () => {
    for (const snapshot of snapshots()) {
      const { output: _, ...rest } = snapshot
      expect(() => Translator.restore(rest as TranslatorSnapshot, FIXED)).toThrow(
        /^snapshot: expected an unmodified snapshot\(\)/,
      )
    }
  })
})

describe('a snapshot that a store gives back', () => {
  test('a snapshot that a store gives back may have its fields in another order, as a JSON column has them', () => {
    const sorted = (value: unknown): unknown =>
      Object(value) !== value || Array.isArray(value)
        ? Array.isArray(value)
          ? value.map(sorted)
          : value
        : Object.fromEntries(
            Object.entries(value as object)
              .map(([key, part]) => [key, sorted(part)] as const)
              .sort(([a], [b]) => b.length - a.length || (a < b ? 1 : -1)),
          )
    for (const snapshot of snapshots()) {
      const stored = sorted(snapshot) as TranslatorSnapshot
      expect(JSON.stringify(stored)).not.toBe(JSON.stringify(snapshot))
      expect(Translator.restore(stored, FIXED).response).toEqual(Translator.restore(snapshot, FIXED).response)
    }
  })

  test('a snapshot that a store gives back may lack what JSON has no word for', () => {
    const request = { metadata: undefined, tools: [fn('f')], text: { format: { type: 'text' as const } } }
    const translator = new Translator({ ...FIXED, request: request as never })
    const snapshot = translator.snapshot()
    expect(() => Translator.restore(snapshot, FIXED)).not.toThrow()
    expect(() => Translator.restore(JSON.parse(JSON.stringify(snapshot)), FIXED)).not.toThrow()
  })
})

test('a snapshot can be taken whatever the names of fields are, of the client or of the model', () => {
  const schema = { type: 'object', properties: { toString: { type: 'string' }, valueOf: {}, __proto__: {} } }
  const translator = new Translator({
    ...FIXED,
    request: {
      tools: [{ type: 'local_shell' }, { type: 'function', name: 'f', parameters: schema }] as never,
      metadata: { toString: 'x', a: 'b' } as never,
    },
  })
  translator.push(
    '<|channel|>commentary to=container.exec<|message|>{"cmd":["ls"],"env":{"toString":"x","a":"b"}}<|call|>',
  )
  const snapshot = JSON.parse(JSON.stringify(translator.snapshot()))
  expect(Translator.restore(snapshot, FIXED).response).toEqual(translator.response)
})
