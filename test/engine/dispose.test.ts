import type { Llama } from 'node-llama-cpp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLlamaCppEngine, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain, take } from './drain.js'
import { cpuLlama, models } from './model.js'
import { endless, longPrompt, plainAnswer } from './scripts.js'

let llama: Llama
let engine: LlamaCppEngine

beforeEach(async () => {
  llama = await cpuLlama()
  engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 2048 })
})

afterEach(async () => {
  await engine.dispose()
  await llama.dispose()
})

const DISPOSED = { name: 'EngineError', code: 'server_error', message: 'The engine has been disposed.' }
const OVER = { done: true, value: undefined }
const prompt = encodeHarmony(plainAnswer.prompt)

describe('an engine that is disposed', () => {
  test('a disposed engine refuses every later call, and is not healthy', async () => {
    await engine.dispose()
    await expect(engine.generate(prompt).next()).rejects.toMatchObject(DISPOSED)
    await expect(engine.health()).rejects.toMatchObject(DISPOSED)
  })

  test('an engine may be disposed again, and concurrently', async () => {
    await Promise.all([engine.dispose(), engine.dispose()])
    await engine.dispose()
  })

  test('a disposed engine leaves the llama that it was given to its owner', async () => {
    await engine.dispose()
    const other = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 256 })
    expect((await drain(other.generate(prompt))).ids).toEqual(encodeHarmony(plainAnswer.answer))
  })

  test('disposing an engine ends its open stream with an error, then with done', async () => {
    const stream = engine.generate(encodeHarmony(endless.prompt))
    await take(stream, 5)
    await engine.dispose()
    await expect(stream.next()).rejects.toMatchObject(DISPOSED)
    expect(await stream.next()).toEqual(OVER)
  })

  test('disposing an engine while a token is awaited ends that stream with the token or an error, then with done', async () => {
    const stream = engine.generate(encodeHarmony(endless.prompt))
    await take(stream, 5)
    const next = stream.next().catch((error: unknown) => error)
    await engine.dispose()
    const first = await next
    if (first instanceof Error) expect(first).toMatchObject(DISPOSED)
    else await expect(stream.next()).rejects.toMatchObject(DISPOSED)
    expect(await stream.next()).toEqual(OVER)
  })

  test('disposing an engine during a long prompt ends that stream with an error', async () => {
    const next = engine.generate(longPrompt(plainAnswer, 2000)).next()
    const outcome = expect(next).rejects.toMatchObject(DISPOSED)
    await engine.dispose()
    await outcome
  })

  test('disposing an engine ends the waiting calls with an error', async () => {
    const running = engine.generate(encodeHarmony(endless.prompt))
    await take(running, 5)
    const waiting = expect(engine.generate(prompt).next()).rejects.toMatchObject(DISPOSED)
    await engine.dispose()
    await waiting
    await running.return()
  })

  test('open streams of a disposed engine can be returned and aborted', async () => {
    const abort = new AbortController()
    const stream = engine.generate(encodeHarmony(endless.prompt), { signal: abort.signal })
    await take(stream, 5)
    await engine.dispose()
    abort.abort(new Error('late'))
    await expect(stream.next()).rejects.toThrow('late')
    expect(await stream.return()).toEqual(OVER)
  })
})

describe('an engine whose llama is disposed first', () => {
  test('an engine whose llama is disposed first ends its stream and its calls with errors, and may be disposed', async () => {
    const stream = engine.generate(encodeHarmony(endless.prompt))
    await take(stream, 5)
    await llama.dispose()
    await expect(stream.next()).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
    await expect(engine.generate(prompt).next()).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
    await expect(engine.health()).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
    await engine.dispose()
  })
})
