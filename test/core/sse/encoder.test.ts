import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseEncoder, encodeSse, type SseEvent } from '../../../src/core/sse/index.js'
import { anyStream, endReason, run } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { anyEvents, unlikeDeltas } from './events.js'

const all = (events: readonly SseEvent[]): string[] => {
  const encode = createSseEncoder()
  return events.map(encode)
}

describe('an encoder of a stream', () => {
  test('an encoder of a stream writes what encodeSse writes, whatever the stream', () => {
    fc.assert(
      fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
        const { events } = run(chunks, setup, reason)
        expect(all(events)).toEqual(events.map(encodeSse))
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('an encoder of a stream writes what encodeSse writes, whatever the events', () => {
    fc.assert(
      fc.property(anyEvents(), (events) => {
        expect(all(events)).toEqual(events.map(encodeSse))
      }),
      { numRuns: RUNS },
    )
  })

  test('an encoder of a stream notices a difference in one delta of many', () => {
    const events = unlikeDeltas()
    expect(all(events)).toEqual(events.map(encodeSse))
  })

  test('an encoder of a stream counts on, from every number to the next', () => {
    const events = Array.from({ length: 1234 }, (_, number) => ({
      type: 'x.delta',
      sequence_number: number,
      delta: 'a',
    }))
    expect(all(events)).toEqual(events.map(encodeSse))
  })

  test('an encoder of a stream continues after an event that is not JSON', () => {
    const encode = createSseEncoder()
    const delta = (sequence_number: number): SseEvent => ({ type: 'x.delta', sequence_number, delta: 'a' })
    encode(delta(1))
    expect(() => encode({ ...delta(2), big: 1n })).toThrow(TypeError)
    expect(encode(delta(3))).toBe(encodeSse(delta(3)))
  })
})
