import fc from 'fast-check'
import type { SseEvent } from '../../../src/core/sse/index.js'
import { codePoint } from '../../../src/judge/conformance/arbitraries/code-point.js'

/**
 * Events of any fields and values, also such as no JSON is, in runs that differ by number and text, as streams have
 * them.
 */
export function anyEvents(): fc.Arbitrary<SseEvent[]> {
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.string(),
    fc.constantFrom('', 'a', '"', '\\', '\ud83d', '\u2028', '\u007f', '\u0080', '\n', '\t', '\0', '💖', '漢\ud83d字'),
    fc.string({ unit: 'grapheme', minLength: 30, maxLength: 400 }),
  )
  const value = fc.oneof(
    text,
    fc.constantFrom<unknown>([], [1], {}, null, true, 0, -0, 1.5, 1e21, 2 ** 31, Number.NaN, undefined, () => 1),
  )
  const number = fc.oneof(fc.integer(), fc.nat(120), fc.constantFrom(9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, -0))
  const field = fc.constantFrom('item_id', 'output_index', 'logprobs', 'sequence_number', 'toJSON', '__proto__', '1')
  const event = fc
    .tuple(
      fc.array(fc.tuple(field, value), { maxLength: 3 }),
      fc.option(number, { nil: undefined }),
      fc.array(fc.tuple(field, value), { maxLength: 2 }),
      fc.option(value, { nil: undefined }),
      fc.array(fc.tuple(field, value), { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([before, sequence_number, between, delta, after, isPlain]) =>
      Object.assign(Object.create(isPlain ? Object.prototype : { inherited: 1 }), {
        type: 'response.output_text.delta',
        ...own(before),
        ...(sequence_number === undefined ? {} : { sequence_number }),
        ...own(between),
        ...(delta === undefined ? {} : { delta }),
        ...own(after),
      } as SseEvent),
    )
  return fc
    .array(fc.tuple(event, fc.array(fc.tuple(number, text))), { maxLength: 4 })
    .map((runs) =>
      runs.flatMap(([first, more]) => [
        first,
        ...more.map(([sequence_number, delta]) => ({ ...first, sequence_number, delta })),
      ]),
    )
}

/** Deltas of one item, but for what one of them has different from the one before it. */
export function unlikeDeltas(): SseEvent[] {
  const delta = { type: 'response.output_text.delta', sequence_number: 4, item_id: 'msg_1', delta: 'a', logprobs: [] }
  return [
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
}

/** Fields as own ones, also `__proto__`. */
function own(fields: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(fields)
}
