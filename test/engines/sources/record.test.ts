import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { StreamEnd, TokenChunk, TokenSource } from '../../../src/core/tokens/token-source.js'
import { record } from '../../../src/engines/sources/record.js'
import { readTokenFixture, replay, type TokenFixture } from '../../../src/engines/sources/replay.js'
import { translate } from '../../../src/index.js'
import { chunkPlan, cutChunks, malformedTranscript, wellFormedTranscript } from '../../support/arbitraries.js'
import { RUNS } from '../../support/runs.js'

/** A sink that keeps its input. */
function shelf() {
  const kept: TokenFixture[] = []
  return { kept, sink: (fixture: TokenFixture) => void kept.push(fixture) }
}

/** A source that records its calls, and that the test controls. */
function engine(chunks: readonly TokenChunk[], ending: { end?: StreamEnd; error?: Error; stuck?: boolean } = {}) {
  const left = [...chunks]
  const watched = {
    pulled: 0,
    closed: 0,
    async next(): Promise<IteratorResult<TokenChunk, StreamEnd | undefined>> {
      watched.pulled++
      const chunk = left.shift()
      if (chunk !== undefined) return { done: false, value: chunk }
      if (ending.stuck) return new Promise(() => {})
      if (ending.error !== undefined) throw ending.error
      return { done: true, value: ending.end }
    },
    async return() {
      watched.closed++
      if (ending.stuck) return new Promise<never>(() => {})
      return { done: true as const, value: undefined }
    },
    [Symbol.asyncIterator]: () => watched,
  }
  return watched
}

async function eventsOf(source: TokenSource, request: ResponseRequest): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  const options = { request, responseId: 'resp_1', clock: () => 0 }
  for await (const event of translate(source, options)) events.push(event)
  return events
}

describe('a recording passes on', () => {
  test('a recording passes on the same chunks and the same end', async () => {
    const chunks = [1, [2, 3], Uint32Array.of(4), { host: [5] }, { id: 6 }, 'text']
    const end = { reason: 'stop' } as const
    const recording = record(engine(chunks, { end }), () => {}, { name: 'a' })
    for (const chunk of chunks) expect((await recording.next()).value).toBe(chunk)
    const last = await recording.next()
    expect(last.done).toBe(true)
    expect(last.value).toBe(end)
  })

  test("a recording passes on the source's own error", async () => {
    const error = new Error('the engine fell over')
    const recording = record(engine([1], { error }), () => Promise.reject(new Error('disk full')), { name: 'a' })
    await recording.next()
    await expect(recording.next()).rejects.toBe(error)
  })

  test('a recording passes on no more than it is asked for', async () => {
    const source = engine([1, 2, 3])
    const recording = record(source, () => {}, { name: 'a' })
    expect(source.pulled).toBe(0)
    await recording.next()
    await recording.next()
    expect(source.pulled).toBe(2)
  })

  test('a recording passes on an early stop, which closes the source once', async () => {
    const source = engine([1, 2, 3])
    for await (const _ of record(source, () => {}, { name: 'a' })) break
    expect(source.closed).toBe(1)
  })

  test("a recording passes on the translator's options beside the request", async () => {
    const { kept, sink } = shelf()
    const setup = { reasoning: 'summary', mcpListings: [{ serverLabel: 'a', tools: [{ name: 'search' }] }] } as const
    for await (const _ of record([1], sink, { name: 'a', setup }));
    expect(kept).toMatchObject([{ setup }])
  })

  test('a recording passes on an early stop at once, even while the source is being waited for', async () => {
    const source = engine([], { stuck: true })
    const { kept, sink } = shelf()
    const recording = record(source, sink, { name: 'a' })
    void recording.next()
    void recording.return(undefined)
    expect(source.closed).toBe(1)
    expect(kept).toHaveLength(1)
  })

  test('a recording ends the pending next() when it is left', async () => {
    const recording = record(engine([], { stuck: true }), () => {}, { name: 'a' })
    const step = recording.next()
    void recording.return(undefined)
    expect(await step).toEqual({ done: true, value: undefined })
  })

  test('a recording passes on an error that is thrown into it, after closing the source', async () => {
    const source = engine([1, 2])
    const recording = record(source, () => {}, { name: 'a' })
    await recording.next()
    await expect(recording.throw(new Error('enough'))).rejects.toThrow('enough')
    expect(source.closed).toBe(1)
  })

  test('a recording passes on what any iterable gives', async () => {
    for (const source of [[1, 2], new Set([1, 2]), [1, 2].values()]) {
      const chunks: TokenChunk[] = []
      for await (const chunk of record(source, () => {}, { name: 'a' })) chunks.push(chunk)
      expect(chunks).toEqual([1, 2])
    }
  })
})

describe('a recording hands over', () => {
  test('a recording hands over one fixture, before the stream ends', async () => {
    const { kept, sink } = shelf()
    const recording = record(engine([1, 'two'], { end: { reason: 'stop' } }), sink, { name: 'a', origin: 'here' })
    for await (const _ of recording) expect(kept).toEqual([])
    expect(kept).toEqual([{ version: 1, name: 'a', origin: 'here', tokens: [1, 'two'], end: { reason: 'stop' } }])
  })

  test('a recording hands over what came before an error', async () => {
    const { kept, sink } = shelf()
    const recording = record(engine([1, 2], { error: new Error('no') }), sink, { name: 'a' })
    await recording.next()
    await recording.next()
    await expect(recording.next()).rejects.toThrow('no')
    expect(kept).toEqual([{ version: 1, name: 'a', tokens: [1, 2] }])
  })

  test('a recording hands over what came before an early stop', async () => {
    const { kept, sink } = shelf()
    for await (const chunk of record(engine([1, 2, 3]), sink, { name: 'a' })) if (chunk === 2) break
    expect(kept).toEqual([{ version: 1, name: 'a', tokens: [1, 2] }])
  })

  test('a recording hands over no second fixture, whatever is asked of it afterwards', async () => {
    const { kept, sink } = shelf()
    const source = engine([1])
    const recording = record(source, sink, { name: 'a' })
    for await (const _ of recording);
    expect(await recording.next()).toEqual({ done: true, value: undefined })
    expect(await recording.return({ reason: 'stop' })).toEqual({ done: true, value: { reason: 'stop' } })
    expect(source.closed).toBe(0)
    expect(kept).toHaveLength(1)
  })

  test('a recording hands over a chunk as it was, even if the caller uses its arrays again', async () => {
    const ids = [1, 2]
    const typed = Uint32Array.of(3, 4)
    const host = [5, 6]
    const scored = { id: 7, topLogprobs: [{ id: 7, logprob: -1 }] }
    const reused = function* () {
      yield* [ids, typed, { host }, scored, [scored]]
      for (const array of [ids, typed, host]) array.fill(0)
      scored.id = 0
      scored.topLogprobs.pop()
    }
    const { kept, sink } = shelf()
    for await (const _ of record(reused(), sink, { name: 'a' }));
    const token = { id: 7, topLogprobs: [{ id: 7, logprob: -1 }] }
    expect(kept[0]?.tokens).toEqual([[1, 2], [3, 4], { host: [5, 6] }, token, [token]])
  })

  test('a recording passes an invalid chunk on as it is', async () => {
    const junk = [undefined, null, { host: null }, { a: () => {} }] as unknown as TokenChunk[]
    const { kept, sink } = shelf()
    for await (const _ of record(junk, sink, { name: 'a' }));
    expect(kept[0]?.tokens).toEqual([undefined, null, { host: null }, { a: expect.any(Function) }])
  })

  test('a recording contains only the parts of the request that a replay needs: no secrets, and no input', async () => {
    const server = { type: 'mcp', server_label: 'docs', server_url: 'https://example.com' }
    const tools = [{ ...server, authorization: 'secret', headers: { 'X-Key': 'secret' } }]
    const request = { model: 'gpt-oss', input: 'secret', prompt: { id: 'secret' }, api_key: 'secret', tools }
    const { kept, sink } = shelf()
    for await (const _ of record([], sink, { name: 'a', request }));
    expect(kept[0]?.request).toEqual({ model: 'gpt-oss', tools: [{ ...server, headers: null }] })
    expect(request.tools[0]?.authorization).toBe('secret')
  })

  test('a recording hands over what its sink throws, where the stream would have ended', async () => {
    const recording = record([1], () => Promise.reject(new Error('disk full')), { name: 'a' })
    await recording.next()
    await expect(recording.next()).rejects.toThrow('disk full')
  })
})

describe('a recorded fixture', () => {
  const transcript = fc.oneof(wellFormedTranscript(), malformedTranscript())
  const ending = fc.constantFrom<StreamEnd | undefined>(
    undefined,
    { reason: 'stop' },
    { reason: 'max_output_tokens', usage: { inputTokens: 7 } },
  )

  test('a recorded fixture replays to the same events, and recording changes none', async () => {
    await fc.assert(
      fc.asyncProperty(transcript, chunkPlan({ scored: true }), ending, async ({ chunks, request }, plan, end) => {
        const pieces = cutChunks(chunks, plan)
        const source = function* () {
          yield* pieces
          return end
        }
        const { kept, sink } = shelf()
        const events = await eventsOf(source(), request)
        expect(await eventsOf(record(source(), sink, { name: 'a', request }), request)).toEqual(events)
        const fixture = readTokenFixture(JSON.stringify(kept[0]))
        expect(await eventsOf(replay(fixture), fixture.request ?? {})).toEqual(events)
      }),
      { numRuns: RUNS },
    )
  })

  test('a recorded fixture replays to the same events if the source gave text', async () => {
    await fc.assert(
      fc.asyncProperty(transcript, async ({ textChunks = [], request }) => {
        const { kept, sink } = shelf()
        const events = await eventsOf(record(textChunks, sink, { name: 'a' }), request)
        expect(await eventsOf(replay(readTokenFixture(JSON.stringify(kept[0]))), request)).toEqual(events)
      }),
      { numRuns: RUNS },
    )
  })

  test('a recorded fixture of a string replays as the one chunk that a string is', async () => {
    const { kept, sink } = shelf()
    const text = '<|channel|>final<|message|>Hi<|return|>'
    const events = await eventsOf(record(text, sink, { name: 'a' }), {})
    expect(kept[0]?.tokens).toEqual([text])
    expect(events).toEqual(await eventsOf(text, {}))
  })
})
