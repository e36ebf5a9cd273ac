import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseBytes } from '../../src/sse/bytes.js'
import { encodeSse, type SseEvent } from '../../src/sse/index.js'
import { anyStream, endReason, run } from '../laws/streams.js'
import { RUNS } from '../support/runs.js'
import { anyEvents, unlikeDeltas } from './events.js'

const utf8 = new TextEncoder()

/** All is written before any of it is looked at: nothing may be written over what was given. */
function expectSame(written: readonly (SseEvent | readonly SseEvent[])[]): void {
  const encode = createSseBytes()
  const chunks = written.map((events) => Buffer.from(encode(events).buffer))
  for (const [at, events] of written.entries()) {
    const expected = Buffer.from((Array.isArray(events) ? events : [events as SseEvent]).map(encodeSse).join(''))
    // A difference is told as text: a list of bytes takes long to compare, and cannot be read.
    if (!chunks[at]?.equals(expected)) expect(chunks[at]?.toString('latin1')).toBe(expected.toString('latin1'))
  }
}

const delta = (sequence_number: number, text = 'a'): SseEvent => ({ type: 'x.delta', sequence_number, delta: text })

describe('a byte encoder of a stream', () => {
  test('a byte encoder of a stream writes the bytes of what encodeSse writes, whatever the stream', () => {
    fc.assert(
      fc.property(anyStream(), endReason, fc.boolean(), ({ chunks, setup }, reason, isBatched) => {
        const { events } = run(chunks, setup, reason)
        expectSame(isBatched ? [events.slice(0, 7), events.slice(7)] : events)
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('a byte encoder of a stream writes the bytes of what encodeSse writes, whatever the events, one or some at a time', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyEvents(), fc.boolean()), { maxLength: 4 }), (parts) => {
        expectSame(parts.flatMap(([events, isBatch]): (SseEvent | SseEvent[])[] => (isBatch ? [events] : events)))
      }),
      { numRuns: RUNS },
    )
  })

  test('a byte encoder of a stream notices what is different in one delta of many', () => {
    expectSame(unlikeDeltas())
    expectSame([unlikeDeltas()])
  })

  test('a byte encoder of a stream counts on, from every number to the next', () => {
    const events = Array.from({ length: 1234 }, (_, number) => delta(number))
    expectSame(events)
    expectSame([events])
  })

  test('a byte encoder of a stream writes every character', () => {
    const texts = Array.from({ length: 0x100 }, (_, page) =>
      Array.from({ length: 0x100 }, (_, at) => String.fromCharCode((page << 8) | at)),
    ).flat()
    expectSame([[delta(1), ...texts.map((text) => delta(2, `<${text}>`))]])
    expectSame(['💖', '\ud83d', '\udc96', 'é', '漢'.repeat(255), '漢'.repeat(2000)].map((text) => delta(3, text)))
  })

  test('a byte encoder of a stream writes frames longer than any before, and short ones after them', () => {
    const long = delta(2, 'x'.repeat(100_000))
    expectSame([delta(1), [delta(2), long, delta(3)], delta(4), [long, long], long, [delta(5)], []])
  })

  test('a byte encoder of a stream gives memory that holds nothing else', () => {
    const encode = createSseBytes()
    for (const events of [delta(1), delta(2), [delta(3), delta(4)], [], { type: 'x' }] as const) {
      const { buffer, byteLength } = encode(events)
      expect(buffer.byteLength).toBe(byteLength)
    }
  })

  test('a byte encoder of a stream goes on where an event was no JSON', () => {
    const encode = createSseBytes()
    encode(delta(1))
    expect(() => encode([delta(2), { type: 'x', big: 1n }])).toThrow(TypeError)
    expect(encode(delta(3))).toEqual(utf8.encode(encodeSse(delta(3))))
  })
})
