import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TokenStream } from '../../src/engines/sources/llama-cpp.js'
import { createLlamaCppEngine, type GenerateOptions, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain, take } from './drain.js'
import { cpuLlama, models } from './model.js'
import { endless, longPrompt, plainAnswer, short, type Turn } from './scripts.js'

const llama = await cpuLlama()
/** Runs one call at a time. */
let narrow: LlamaCppEngine
/** Runs two. */
let wide: LlamaCppEngine

beforeAll(async () => {
  narrow = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 2048 })
  wide = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512, parallel: 2 })
})

afterAll(() => llama.dispose())

/** No call may remain: every sequence must be free for the next one. */
afterEach(async () => {
  for (const engine of [narrow, wide]) {
    const calls = Array.from({ length: engine.parallel }, () => generate(engine, plainAnswer))
    // All of them at once: each needs a separate sequence before any continues.
    await Promise.all(calls.map((stream) => take(stream, 1)))
    const said = await Promise.all(calls.map(drain))
    for (const { ids } of said) expect(ids).toEqual(encodeHarmony(plainAnswer.answer).slice(1))
  }
})

function generate(engine: LlamaCppEngine, { prompt }: Turn, options?: GenerateOptions): TokenStream {
  return engine.generate(encodeHarmony(prompt), options)
}

const OVER = { done: true, value: undefined }

describe('a call that never ends', () => {
  test('a call that never ends stops at its limit', async () => {
    const { ids, end } = await drain(generate(narrow, endless, { maxTokens: 300 }))
    expect(ids).toHaveLength(300)
    expect(end?.reason).toBe('max_output_tokens')
  })

  test('a call throws the reason of an abort between two tokens, once', async () => {
    const abort = new AbortController()
    const stream = generate(narrow, endless, { signal: abort.signal })
    await take(stream, 20)
    abort.abort(new Error('enough'))
    await expect(stream.next()).rejects.toThrow('enough')
    expect(await stream.next()).toEqual(OVER)
  })

  test('a call throws the reason of an abort while a token is awaited', async () => {
    const abort = new AbortController()
    const stream = generate(narrow, endless, { signal: abort.signal })
    await take(stream, 20)
    const next = stream.next()
    abort.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(await stream.next()).toEqual(OVER)
  })

  test('a call is closed by a consumer that stops reading', async () => {
    let count = 0
    for await (const _ of generate(narrow, endless)) {
      count += 1
      if (count === 20) break
    }
    expect(count).toBe(20)
  })

  test('a call is closed by return() while a token is awaited', async () => {
    const stream = generate(narrow, endless)
    await take(stream, 20)
    const next = stream.next()
    expect(await stream.return()).toEqual(OVER)
    expect(await next).toEqual(OVER)
  })

  test('a call ends when the context is full', async () => {
    const { ids, end } = await drain(generate(wide, endless, { maxTokens: 2 * wide.contextSize }))
    expect(end?.reason).toBe('max_output_tokens')
    expect(ids.length + encodeHarmony(endless.prompt).length).toBe(wide.contextSize)
  })
})

describe('a prompt', () => {
  test('a prompt may leave room for a single token', async () => {
    const { ids, end } = await drain(wide.generate(longPrompt(plainAnswer, wide.contextSize - 1)))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer).slice(0, 1))
    expect(end?.reason).toBe('max_output_tokens')
  })

  test('a prompt that leaves no room is an error', async () => {
    const stream = wide.generate(longPrompt(plainAnswer, wide.contextSize))
    await expect(stream.next()).rejects.toMatchObject({ name: 'EngineError', code: 'context_length_exceeded' })
    expect(await stream.next()).toEqual(OVER)
  })

  test('a prompt of many tokens is abandoned when it is aborted', async () => {
    const abort = new AbortController()
    const stream = narrow.generate(longPrompt(plainAnswer, 2000), { signal: abort.signal })
    const next = stream.next()
    abort.abort(new Error('too long'))
    await expect(next).rejects.toThrow('too long')
  })
})

describe('several calls', () => {
  test('several calls run side by side on sequences of their own', async () => {
    const streams = short.slice(0, 2).map((turn) => generate(wide, turn))
    const said: number[][] = [[], []]
    // Step by step, so that neither can wait for the other to end.
    for (let step = 0; step < 5; step++) {
      const tokens = await Promise.all(streams.map((stream) => take(stream, 1)))
      for (const [at, ids] of tokens.entries()) said[at]?.push(...ids)
    }
    const rest = await Promise.all(streams.map(drain))
    for (const [at, { ids }] of rest.entries()) said[at]?.push(...ids)
    expect(said).toEqual(short.slice(0, 2).map(({ answer }) => encodeHarmony(answer)))
  })

  test('calls queue if there are more of them than sequences, and all of them finish', async () => {
    const said = await Promise.all(short.map((turn) => drain(generate(wide, turn))))
    expect(said.map(({ ids }) => ids)).toEqual(short.map(({ answer }) => encodeHarmony(answer)))
  })

  test('a call goes to the sequence that already has its prompt', async () => {
    const turns = short.slice(0, 2)
    await Promise.all(turns.map((turn) => drain(generate(wide, turn))))
    for (const turn of [...turns].reverse()) {
      const { end } = await drain(generate(wide, turn))
      expect(end?.usage?.cachedTokens).toBe(encodeHarmony(turn.prompt).length - 1)
    }
  })

  test('aborting a waiting call leaves the others alone', async () => {
    const abort = new AbortController()
    const running = generate(narrow, endless)
    await take(running, 5)
    const aborted = generate(narrow, plainAnswer, { signal: abort.signal }).next()
    const patient = drain(generate(narrow, plainAnswer))
    abort.abort(new Error('waited too long'))
    await expect(aborted).rejects.toThrow('waited too long')
    await running.return()
    expect((await patient).ids).toEqual(encodeHarmony(plainAnswer.answer))
  })
})
