import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StreamEnd, TokenChunk } from '../../../src/core/tokens/token-source.js'
import { replay, type TokenFixture } from '../../../src/engines/sources/replay.js'

const FIXTURE: TokenFixture = {
  version: 1,
  name: 'replayed',
  tokens: [200005, [17196, 200008], { id: 976 }, ' text', { host: [200006] }],
  end: { reason: 'stop', usage: { inputTokens: 3 } },
}

async function drain(source: AsyncGenerator<TokenChunk, StreamEnd | undefined>) {
  const chunks: TokenChunk[] = []
  for (;;) {
    const { done, value } = await source.next()
    if (done) return { chunks, end: value }
    chunks.push(value)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  // First, for a spy of a faked timer would put the faked one back, in the file after this one.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a replay', () => {
  test('a replay yields the chunks as they were captured and returns the end', async () => {
    expect(await drain(replay(FIXTURE))).toEqual({ chunks: FIXTURE.tokens, end: FIXTURE.end })
  })

  test('a replay of a fixture without an end returns none', async () => {
    expect(await drain(replay({ version: 1, name: 'cut', tokens: [] }))).toEqual({ chunks: [], end: undefined })
  })

  test('a replay uses no timer if no delay is asked for', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    await drain(replay(FIXTURE))
    await drain(replay(FIXTURE, { delayMs: 0 }))
    expect(setTimer).not.toHaveBeenCalled()
  })

  test('a replay waits between chunks, and neither before the first nor after the last', async () => {
    const start = Date.now()
    const done = drain(replay(FIXTURE, { delayMs: 10 })).then(() => Date.now() - start)
    await vi.runAllTimersAsync()
    expect(await done).toBe(10 * (FIXTURE.tokens.length - 1))
  })

  test('a replay that is aborted while it waits throws the reason at once and leaves no timer', async () => {
    const abort = new AbortController()
    const source = replay(FIXTURE, { delayMs: 1000, signal: abort.signal })
    await source.next()
    const next = source.next()
    abort.abort(new Error('the client left'))
    await expect(next).rejects.toThrow('the client left')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a replay that is aborted before it begins yields nothing', async () => {
    const source = replay(FIXTURE, { delayMs: 10, signal: AbortSignal.abort(new Error('too late')) })
    await expect(source.next()).rejects.toThrow('too late')
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1' as never])(
    'a replay refuses to wait for %s ms',
    (delayMs) => {
      expect(() => replay({ version: 1, name: 'none', tokens: [] }, { delayMs })).toThrow(
        'delayMs: expected a number of',
      )
    },
  )
})
