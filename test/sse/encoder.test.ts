import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseEncoder, encodeSse, type SseEvent } from '../../src/sse/index.js'
import { anyStream, endReason, run } from '../laws/streams.js'

const RUNS = Number(process.env['LAW_RUNS'] ?? 1000)

const all = (events: readonly SseEvent[]): string[] => {
  const encode = createSseEncoder()
  return events.map(encode)
}

describe('an encoder of a stream', () => {
  test('writes what encodeSse writes, whatever the stream', () => {
    fc.assert(
      fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
        const { events } = run(chunks, setup, reason)
        expect(all(events)).toEqual(events.map(encodeSse))
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('writes what encodeSse writes, whatever the events', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'a', '"', '\\', '\ud83d', '\u2028', '\u007f', '\n', '💖'),
      fc.constantFrom<unknown>([], [1], {}, null, true, 0, -0, 1.5, 1e21, Number.NaN, undefined, () => 1),
    )
    const field = fc.constantFrom('item_id', 'output_index', 'logprobs', 'sequence_number', 'toJSON', '__proto__', '1')
    const event = fc
      .tuple(
        fc.array(fc.tuple(field, value), { maxLength: 3 }),
        fc.option(fc.integer(), { nil: undefined }),
        fc.array(fc.tuple(field, value), { maxLength: 2 }),
        fc.option(value, { nil: undefined }),
        fc.array(fc.tuple(field, value), { maxLength: 2 }),
        fc.boolean(),
      )
      .map(([before, number, between, delta, after, isPlain]) =>
        Object.assign(Object.create(isPlain ? Object.prototype : { inherited: 1 }), {
          type: 'response.output_text.delta',
          ...own(before),
          ...(number === undefined ? {} : { sequence_number: number }),
          ...own(between),
          ...(delta === undefined ? {} : { delta }),
          ...own(after),
        } as SseEvent),
      )
    // The same event again and again, with other texts and numbers, as streams have them.
    const runs = fc.array(fc.tuple(event, fc.array(fc.tuple(fc.integer(), fc.string({ unit: 'binary' })))), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(runs, (given) => {
        const events = given.flatMap(([first, more]) => [
          first,
          ...more.map(([sequence_number, delta]) => ({ ...first, sequence_number, delta })),
        ])
        expect(all(events as SseEvent[])).toEqual((events as SseEvent[]).map(encodeSse))
      }),
      { numRuns: RUNS },
    )
  })

  test('notices what is different in one delta of many', () => {
    const delta = { type: 'response.output_text.delta', sequence_number: 4, item_id: 'msg_1', delta: 'a', logprobs: [] }
    const events = [
      delta,
      { ...delta, sequence_number: 5 },
      { ...delta, sequence_number: 6, item_id: 'msg_2' },
      { ...delta, sequence_number: 7, obfuscation: 'x' },
      { ...delta, sequence_number: 8, logprobs: [{ token: 'a' }] },
      { ...delta, sequence_number: 9.5 },
      { ...delta, sequence_number: null },
      { delta: 'b', sequence_number: 11, type: 'response.output_text.delta' },
      { delta: 'c', sequence_number: 12, type: 'response.output_text.delta' },
    ]
    expect(all(events)).toEqual(events.map(encodeSse))
  })
})

/** Fields as own ones, also `__proto__`. */
function own(fields: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(fields)
}
