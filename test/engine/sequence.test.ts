import type { LlamaContext, LlamaContextSequence, LlamaModel } from 'node-llama-cpp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { llamaCppSource, type TokenStream } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain, take } from './drain.js'
import { cpuLlama, models } from './model.js'
import { afterCall, call, endless, longAnswer, longPrompt, plainAnswer } from './scripts.js'

const llama = await cpuLlama()
let model: LlamaModel
let context: LlamaContext
let sequence: LlamaContextSequence

beforeAll(async () => {
  model = await llama.loadModel({ modelPath: models.sure })
})

afterAll(() => llama.dispose())

beforeEach(async () => {
  context = await model.createContext({ contextSize: 4096, swaFullCache: true })
  sequence = context.getSequence()
})

afterEach(() => context.dispose())

/** How many tokens the engine evaluated without saying the next one, since the sequence began. */
function evaluated(): number {
  return sequence.tokenMeter.usedInputTokens
}

describe('a call on a sequence', () => {
  test('a call on a sequence evaluates only the part of a prompt that the sequence does not have yet', async () => {
    const first = encodeHarmony(call.prompt)
    const { ids } = await drain(llamaCppSource(sequence, first))
    // All but the last, whose evaluation yields the next token.
    expect(evaluated()).toBe(first.length - 1)

    const second = encodeHarmony(afterCall.prompt)
    const { ids: answer, end } = await drain(llamaCppSource(sequence, second))
    expect(answer).toEqual(encodeHarmony(afterCall.answer))
    const cachedTokens = first.length + ids.length - 1
    expect(end?.usage).toEqual({ inputTokens: second.length, cachedTokens })
    expect(evaluated()).toBe(first.length - 1 + second.length - 1 - cachedTokens)
  })

  test('a sequence keeps the prefix that it shares with its prompt, and nothing after it', async () => {
    await drain(llamaCppSource(sequence, encodeHarmony(afterCall.prompt)))
    const before = evaluated()
    // The next turn of a conversation leaves the reasoning out: the call and its result are the same, but elsewhere.
    const prompt = encodeHarmony(afterCall.prompt.replace(/<\|channel\|>analysis.*?<\|start\|>assistant/, ''))
    const { ids, end } = await drain(llamaCppSource(sequence, prompt))
    expect(ids).toEqual(encodeHarmony(afterCall.answer))
    // `<|channel|>` is the last token that is in the same place.
    const shared = encodeHarmony(call.prompt).length + 1
    expect(end?.usage?.cachedTokens).toBe(shared)
    expect(evaluated() - before).toBe(prompt.length - 1 - shared)
  })

  test('a sequence goes back to an earlier prompt', async () => {
    await drain(llamaCppSource(sequence, encodeHarmony(afterCall.prompt)))
    const prompt = encodeHarmony(call.prompt)
    const { ids, end } = await drain(llamaCppSource(sequence, prompt))
    expect(ids).toEqual(encodeHarmony(call.answer))
    expect(end?.usage?.cachedTokens).toBe(prompt.length - 1)
  })

  test('a sequence is right without a full cache of the sliding window, even if it keeps nothing', async () => {
    await context.dispose()
    context = await model.createContext({ contextSize: 4096, swaFullCache: false })
    sequence = context.getSequence()
    await drain(llamaCppSource(sequence, longPrompt(longAnswer, 3000)))
    const { ids, end } = await drain(llamaCppSource(sequence, encodeHarmony(plainAnswer.prompt)))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer))
    expect(end?.usage?.cachedTokens).toBe(0)
  })

  test('a sequence takes a prompt of many batches', async () => {
    const prompt = longPrompt(plainAnswer, 3500)
    const { ids } = await drain(llamaCppSource(sequence, prompt))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer))
    expect(evaluated()).toBe(prompt.length - 1)
  })

  test('a call that is aborted during a long prompt does not evaluate the rest of it', async () => {
    const abort = new AbortController()
    const stream = llamaCppSource(sequence, longPrompt(longAnswer, 3500), { signal: abort.signal })
    const next = stream.next()
    abort.abort(new Error('the user left'))
    await expect(next).rejects.toThrow('the user left')

    const { ids } = await drain(llamaCppSource(sequence, encodeHarmony(plainAnswer.prompt)))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer))
    expect(evaluated()).toBeLessThan(2000)
  })

  test.for<[string, (stream: TokenStream, abort: AbortController) => Promise<unknown>]>([
    ['ends', (stream) => drain(stream)],
    ['is left', (stream) => take(stream, 3).then(() => stream.return())],
    [
      'is left while a token is awaited',
      async (stream) => {
        await take(stream, 3)
        await Promise.all([stream.next(), stream.return()])
      },
    ],
    [
      'is aborted',
      async (stream, abort) => {
        await take(stream, 3)
        abort.abort(new Error('enough'))
        await expect(stream.next()).rejects.toThrow('enough')
      },
    ],
  ])('a call that %s leaves no sampler of the engine open', async ([, end]) => {
    const evaluate = vi.spyOn(sequence, 'evaluate')
    const abort = new AbortController()
    await end(llamaCppSource(sequence, encodeHarmony(endless.prompt), { maxTokens: 10, signal: abort.signal }), abort)
    const sampled = evaluate.mock.results[0]?.value as ReturnType<typeof sequence.evaluate>
    // The next call begins when the one before has cleaned up.
    await drain(llamaCppSource(sequence, encodeHarmony(plainAnswer.prompt)))
    expect(await sampled.next()).toEqual({ done: true, value: undefined })
  })

  test('a call waits for the one before it, so that neither corrupts the other', async () => {
    const turns = [plainAnswer, call, longAnswer]
    const calls = turns.map(({ prompt }) => drain(llamaCppSource(sequence, encodeHarmony(prompt))))
    const said = await Promise.all(calls)
    expect(said.map(({ ids }) => ids)).toEqual(turns.map(({ answer }) => encodeHarmony(answer)))
  })

  test('a call begins with its first next(), so one that is never read does not block others', async () => {
    llamaCppSource(sequence, encodeHarmony(endless.prompt))
    const { ids } = await drain(llamaCppSource(sequence, encodeHarmony(plainAnswer.prompt)))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer))
  })

  test.for([
    ['the sequence', () => sequence.dispose()],
    ['the context', () => context.dispose()],
  ] as const)('a call ends with an error if %s is disposed while it runs, then with done', async ([, dispose]) => {
    const stream = llamaCppSource(sequence, encodeHarmony(endless.prompt))
    await take(stream, 5)
    await dispose()
    await expect(stream.next()).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a call on a disposed sequence is an error', async () => {
    await sequence.dispose()
    const stream = llamaCppSource(sequence, encodeHarmony(plainAnswer.prompt))
    await expect(stream.next()).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
  })
})
