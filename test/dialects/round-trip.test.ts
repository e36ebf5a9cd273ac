import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Dialect, DialectEvent } from '../../src/dialects/dialect.js'
import { fromDialect, openResponses, toDialect, vllm } from '../../src/dialects/index.js'
import type { ResponseStreamEvent } from '../../src/responses/events.js'
import { anyStream, endReason, RUNS, run, runBroken } from '../laws/streams.js'
import { deepFreeze } from '../translate/run.js'

const dialects = [
  ['open-responses', openResponses],
  ['vllm', vllm],
] as const

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
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

test.each(dialects)('a failed stream into %s and back is, too', async (_, dialect) => {
  await fc.assert(
    fc.asyncProperty(anyStream(), fc.nat(60), fc.boolean(), async (stream, at, isAbort) => {
      const { events } = runBroken(stream, at, isAbort)
      expect(await collect(fromDialect(await there(events, dialect), dialect))).toEqual(events)
    }),
    { numRuns: Math.ceil(RUNS / 10) },
  )
})

test.each(dialects)('events in %s are numbered from 0, also where some were left out before', async (_, dialect) => {
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
