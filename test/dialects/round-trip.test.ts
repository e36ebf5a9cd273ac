import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'
import type { Dialect, DialectEvent } from '../../src/dialects/dialect.js'
import {
  fromDialect,
  fromDialectResponse,
  openResponses,
  toDialect,
  toDialectResponse,
  vllm,
} from '../../src/dialects/index.js'
import { translateBatches } from '../../src/index.js'
import { deepFreeze } from '../core/translate/run.js'
import { anyStream, breaks, endReason, run, runBroken } from '../laws/streams.js'
import { collect } from '../support/collect.js'
import { RUNS } from '../support/runs.js'

const dialects = [
  ['open-responses', openResponses],
  ['vllm', vllm],
] as const

/** What the terminal event of a stream holds. */
function responseOf(events: readonly { type: string }[]): never {
  return (events.at(-1) as { response?: unknown } | undefined)?.response as never
}

const there = (events: Iterable<ResponseStreamEvent>, dialect: Dialect): Promise<DialectEvent[]> =>
  collect(toDialect(events, dialect))

test.each(dialects)('a stream into %s and back is the stream that it was', async (name, dialect) => {
  expect(dialect.name).toBe(name)
  await fc.assert(
    fc.asyncProperty(anyStream(), endReason, async ({ chunks, setup }, reason) => {
      const { events } = run(chunks, setup, reason)
      expect(await collect(fromDialect(await there(deepFreeze(events), dialect), dialect))).toEqual(events)
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})

test.each(dialects)('a failed stream into %s and back is the stream that it was', async (_, dialect) => {
  await fc.assert(
    fc.asyncProperty(anyStream(), fc.nat(60), breaks, async (stream, at, how) => {
      const { events } = runBroken(stream, at, how)
      expect(await collect(fromDialect(await there(events, dialect), dialect))).toEqual(events)
    }),
    { numRuns: Math.ceil(RUNS / 10) },
  )
})

test.each(dialects)('events in %s are numbered from 0, also if some were left out before', async (_, dialect) => {
  const { events } = run([
    '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>',
  ])
  const mapped = await there(events.slice(3), dialect)
  expect(mapped.map(({ sequence_number }) => sequence_number)).toEqual(mapped.map((_, index) => index))
})

test.each(dialects)('an event is in %s as soon as it came', async (_, dialect) => {
  const { events } = run(['<|channel|>final<|message|>Hi<|return|>'])
  let taken = 0
  function* one(): Generator<ResponseStreamEvent> {
    for (const event of events) {
      taken++
      yield event
    }
  }
  const mapped = toDialect(one(), dialect)
  await mapped.next()
  await mapped.next()
  expect(taken).toBe(2)
  await mapped.return()
  expect(taken).toBe(2)
})

test.each(dialects)('a response converts to the same %s as the terminal event of its stream', async (_, dialect) => {
  await fc.assert(
    fc.asyncProperty(anyStream(), endReason, async ({ chunks, setup }, reason) => {
      const { events } = run(chunks, setup, reason)
      const response = responseOf(deepFreeze(events))
      const mapped = toDialectResponse(response, dialect as Dialect)
      expect(mapped).toEqual(responseOf(await there(events, dialect)))
      expect(fromDialectResponse(deepFreeze(mapped), dialect as Dialect)).toEqual(response)
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})

test.each(dialects)(
  'a failed response converts to the same %s as the terminal event of its stream',
  async (_, dialect) => {
    await fc.assert(
      fc.asyncProperty(anyStream(), fc.nat(60), breaks, async (stream, at, how) => {
        const { events } = runBroken(stream, at, how)
        const mapped = toDialectResponse(responseOf(events), dialect as Dialect)
        expect(mapped).toEqual(responseOf(await there(events, dialect)))
        expect(fromDialectResponse(mapped, dialect as Dialect)).toEqual(responseOf(events))
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  },
)

test.each(dialects)('batches come in %s as their events do', async (_, dialect) => {
  const options = { responseId: 'resp_1', clock: () => 1, ids: (prefix: string, index: number) => `${prefix}_${index}` }
  const batches = await collect(translateBatches(['<|channel|>final<|message|>Hi<|return|>'], options))
  const events = await there(batches.flat(), dialect)
  expect(await collect(toDialect(batches, dialect))).toEqual(events)
  expect(await collect(fromDialect([events], dialect))).toEqual(batches.flat())
})

describe('errors are reported at once:', () => {
  const response = responseOf(run(['<|channel|>final<|message|>Hi<|return|>']).events)
  const DOORS: [string, (given: never, dialect: Dialect) => unknown, unknown][] = [
    ['toDialect', toDialect, []],
    ['fromDialect', fromDialect, []],
    ['toDialectResponse', toDialectResponse, response],
    ['fromDialectResponse', fromDialectResponse, response],
  ]
  const error = (code: string, message: string) =>
    expect.objectContaining({ name: 'HarmonyResponsesError', code, message })

  test.each(DOORS)('%s throws at once without a dialect', (name, door, given) => {
    for (const [wrong, got] of [
      [undefined, 'undefined'],
      ['vllm', '"vllm"'],
      [{}, 'an object'],
    ] as const) {
      expect(() => door(given as never, wrong as never)).toThrow(
        error('bad_option', `${name}: dialect: expected a dialect, such as openResponses or vllm, got ${got}`),
      )
    }
  })

  test.each(DOORS.slice(0, 2))('%s throws at once without a stream', (name, door) => {
    for (const [wrong, got] of [
      [undefined, 'undefined'],
      [Promise.resolve([]), 'Promise'],
      [response, 'an object'],
    ] as const) {
      expect(() => door(wrong as never, vllm)).toThrow(
        error('bad_stream', `${name}: expected an iterable of events, got ${got}`),
      )
    }
  })

  test.each(DOORS.slice(0, 2))('%s rejects when something comes that is no event', async (name, door) => {
    const events = door([new Uint8Array(2)] as never, openResponses) as AsyncIterable<unknown>
    await expect(collect(events)).rejects.toEqual(error('bad_stream', `${name}: expected an event, got Uint8Array`))
  })

  test.each(DOORS.slice(2))('%s throws at once for a value that is not a response', (name, door) => {
    for (const [wrong, got] of [
      [undefined, 'undefined'],
      [Promise.resolve(response), 'Promise'],
      [[], 'an array'],
      [{ type: 'response.created', response }, 'an object'],
    ] as const) {
      expect(() => door(wrong as never, openResponses)).toThrow(
        error('bad_stream', `${name}: expected a response, got ${got}`),
      )
    }
  })
})
