import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEnd, TokenChunk } from '../../../src/core/tokens/token-source.js'
import type { TokenStream } from '../../../src/engines/contract/engine.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { record } from '../../../src/engines/sources/record.js'
import { sourcePlan } from '../../../src/judge/conformance/arbitraries/index.js'
import {
  checkSource,
  type OpenedSource,
  planPieces,
  type SourcePlan,
} from '../../../src/judge/conformance/check-source.js'
import { RUNS } from '../../support/runs.js'

const OVER = { done: true, value: undefined }

type Run = (signal: AbortSignal) => AsyncGenerator<TokenChunk, StreamEnd | undefined>

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

/** A generator that plays a plan, and can be seen. */
function playing(plan: SourcePlan) {
  let isAsked = false
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const run: Run = async function* (signal) {
    isAsked = true
    signal.addEventListener('abort', close)
    for (const piece of planPieces(plan)) yield piece
    if (plan.ending === 'hang') await aborted(signal)
    if (plan.ending === 'error') throw new Error('the engine fell over')
    return { reason: plan.ending === 'stop' ? 'stop' : 'max_output_tokens' }
  }
  return { run, backend: { wasAsked: () => isAsked, closed } }
}

/** A generator that gives a token and then waits until it is aborted. */
function endless() {
  const seen: { signal?: AbortSignal; cleaned: number } = { cleaned: 0 }
  const run: Run = async function* (signal) {
    seen.signal = signal
    try {
      yield 1
      await aborted(signal)
      return { reason: 'stop' }
    } finally {
      seen.cleaned++
    }
  }
  return { run, seen }
}

describe('a token stream', () => {
  test.each<[string, (stream: TokenStream) => OpenedSource['source']]>([
    ['a token stream keeps the laws of a source', (stream) => stream],
    ['a token stream keeps the laws of a source while it is recorded', (stream) => record(stream, () => {})],
  ])('%s', async (_, read) => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), async (plan) => {
        const violations = await checkSource((plan, signal) => {
          const { run, backend } = playing(plan)
          return { source: read(tokenStream(run, signal)), backend }
        }, plan)
        expect(violations).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('a token stream is what its generator gives, chunk by chunk', async () => {
    const stream = tokenStream(async function* () {
      yield 1
      yield [2, { id: 3, logprob: -1 }]
      yield 'text'
      return { reason: 'stop' }
    })
    expect(stream[Symbol.asyncIterator]()).toBe(stream)
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    expect(await stream.next()).toEqual({ done: false, value: [2, { id: 3, logprob: -1 }] })
    expect(await stream.next()).toEqual({ done: false, value: 'text' })
    expect(await stream.next()).toEqual({ done: true, value: { reason: 'stop' } })
    expect(await stream.next()).toEqual(OVER)
  })

  test('a token stream is closed by a loop that is left', async () => {
    const { run, seen } = endless()
    for await (const token of tokenStream(run)) {
      expect(token).toBe(1)
      break
    }
    expect(seen.signal?.aborted).toBe(true)
    expect(seen.cleaned).toBe(1)
  })

  test('a token stream lets its generator clean up after the current step', async () => {
    const { run, seen } = endless()
    const stream = tokenStream(run)
    await stream.next()
    const step = stream.next()
    expect(await stream.return()).toEqual(OVER)
    expect(await step).toEqual(OVER)
    await new Promise((resolve) => setTimeout(resolve))
    expect(seen.cleaned).toBe(1)
  })

  test('a token stream says nothing of a generator that throws when it is closed', async () => {
    const stream = tokenStream(async function* (signal) {
      yield 1
      await aborted(signal)
      throw new Error('the request was aborted')
    })
    await stream.next()
    const step = stream.next()
    await stream.return()
    expect(await step).toEqual(OVER)
    expect(await stream.next()).toEqual(OVER)
  })

  test('a token stream closed before it was read never begins', async () => {
    const { run, seen } = endless()
    const stream = tokenStream(run)
    await stream.return()
    expect(await stream.next()).toEqual(OVER)
    expect(seen.signal).toBeUndefined()
  })

  test('a token stream aborted before it was read never begins, and says why', async () => {
    const { run, seen } = endless()
    const reason = new Error('enough')
    const stream = tokenStream(run, AbortSignal.abort(reason))
    await expect(stream.next()).rejects.toBe(reason)
    expect(await stream.next()).toEqual(OVER)
    expect(seen.signal).toBeUndefined()
  })

  test('a token stream gives its generator the reason of the abort', async () => {
    const { run, seen } = endless()
    const call = new AbortController()
    const stream = tokenStream(run, call.signal)
    await stream.next()
    const reason = { why: 'not even an error' }
    call.abort(reason)
    expect(seen.signal?.reason).toBe(reason)
    await expect(stream.next()).rejects.toBe(reason)
  })

  test('a token stream stops listening to the signal when it ends', async () => {
    const call = new AbortController()
    const stream = tokenStream(async function* () {
      yield 1
      return undefined
    }, call.signal)
    await stream.next()
    await stream.next()
    call.abort(new Error('too late'))
    expect(await stream.next()).toEqual(OVER)
  })

  test('a token stream answers two pending next(), and closes for both', async () => {
    const { run } = endless()
    const stream = tokenStream(run)
    const steps = [stream.next(), stream.next(), stream.next()]
    expect(await steps[0]).toEqual({ done: false, value: 1 })
    await stream.return()
    expect(await Promise.all(steps.slice(1))).toEqual([OVER, OVER])
  })

  test('a token stream throws the reason of an abort once, also to two pending next()', async () => {
    const { run } = endless()
    const call = new AbortController()
    const stream = tokenStream(run, call.signal)
    await stream.next()
    const steps = [stream.next(), stream.next()]
    const reason = new Error('enough')
    call.abort(reason)
    expect(await Promise.allSettled(steps)).toEqual([
      { status: 'rejected', reason },
      { status: 'fulfilled', value: OVER },
    ])
    expect(await stream.next()).toEqual(OVER)
  })
})
