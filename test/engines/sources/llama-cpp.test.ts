import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEnd, TokenChunk } from '../../../src/core/tokens/token-source.js'
import {
  EngineError,
  type GenerateOptions,
  llamaCppSource,
  type TokenStream,
} from '../../../src/engines/sources/llama-cpp.js'
import { translate } from '../../../src/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { type Asked, CONFIDENCE, FakeSequence, type Writes } from '../../support/fake-llama.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony, m } from '../../support/tokens.js'

const prompt = encodeHarmony('<|start|>user<|message|>Hi.<|end|><|start|>assistant')
const answer = encodeHarmony('<|channel|>final<|message|>Hello there.<|return|>')
const longPrompt = [...prompt.slice(0, -2), ...new Array(2000).fill(1).map((_, at) => 1000 + at), ...prompt.slice(-2)]

/** A model that answers each of these prompts so, and any other one with `<|return|>`. */
function answers(...pairs: [prompt: readonly number[], answer: readonly number[]][]): Writes {
  return (tokens) => {
    for (const [before, after] of pairs) {
      const rest = tokens.slice(before.length)
      const isIt = before.every((id, at) => tokens[at] === id) && rest.every((id, at) => after[at] === id)
      if (isIt && rest.length < after.length) return after[rest.length] as number
    }
    return m.return
  }
}

/** A model that counts for ever, from the length of its prompt. */
const counts: Writes = (tokens) => tokens.length

async function readAll(stream: TokenStream): Promise<{ tokens: TokenChunk[]; end: StreamEnd | undefined }> {
  const tokens: TokenChunk[] = []
  for (;;) {
    const step = await stream.next()
    if (step.done) return { tokens, end: step.value }
    tokens.push(step.value)
  }
}

function idOf(chunk: TokenChunk): number {
  return typeof chunk === 'object' && 'id' in chunk ? chunk.id : Number(chunk)
}

async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}

function asked<Kind extends Asked extends infer One ? (One extends One ? keyof One : never) : never>(
  sequence: FakeSequence,
  kind: Kind,
): Extract<Asked, Record<Kind, unknown>>[] {
  return sequence.asked.filter((one): one is Extract<Asked, Record<Kind, unknown>> => kind in one)
}

describe('a call', () => {
  test('a call gives the tokens as they are drawn, the stop token last, and says how much was cached', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const { tokens, end } = await readAll(llamaCppSource(sequence, prompt))
    expect(tokens).toEqual(answer)
    expect(end).toEqual({ reason: 'stop', usage: { inputTokens: prompt.length, cachedTokens: 0 } })
    expect(sequence.open).toBe(0)
  })

  test('a call is translated as any source is', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const events = []
    for await (const event of translate(llamaCppSource(sequence, prompt))) events.push(event)
    const last = events.at(-1)
    expect(last?.type).toBe('response.completed')
    expect(last).toMatchObject({
      response: { usage: { input_tokens: prompt.length, output_tokens: answer.length } },
    })
  })

  test('a call does not use the sequence before its first token is wanted', async () => {
    const sequence = new FakeSequence(counts)
    const stream = llamaCppSource(sequence, prompt)
    await new Promise((resolve) => setImmediate(resolve))
    expect(sequence.asked).toEqual([])
    await stream.return()
    expect(sequence.asked).toEqual([])
  })

  test('a call takes a Uint32Array, and no notice of what happens to its arguments later', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const mine = Uint32Array.from(prompt)
    const options: { maxTokens?: number } = {}
    const stream = llamaCppSource(sequence, mine, options)
    mine.fill(0)
    options.maxTokens = 1
    expect((await readAll(stream)).tokens).toEqual(answer)
  })

  test('a call passes llama.cpp every default that is another one there', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    await readAll(llamaCppSource(sequence, prompt))
    const [{ options } = {}] = asked(sequence, 'evaluate')
    expect(options).toMatchObject({ temperature: 1, topP: 1, topK: null, minP: 0, yieldEogToken: true })
    expect(options?.seed).toBeTypeOf('number')
  })

  test('a call draws with other random numbers every time, unless a seed is given', async () => {
    const seeds = async (sampling: object) => {
      const sequence = new FakeSequence(answers([prompt, answer]))
      for (let n = 0; n < 3; n++) await readAll(llamaCppSource(sequence, prompt, { sampling }))
      return asked(sequence, 'evaluate').map(({ options }) => options?.seed)
    }
    expect(new Set(await seeds({})).size).toBe(3)
    expect(await seeds({ seed: 7 })).toEqual([7, 7, 7])
    // -1 means "any" to llama.cpp, as unsigned; to us it is a seed as any other.
    expect(await seeds({ seed: -1 })).toEqual([4294967294, 4294967294, 4294967294])
  })

  test('a call passes on how to sample', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const sampling = { temperature: 0.5, topP: 0.9, topK: 20, minP: 0.05, seed: 1 }
    await readAll(llamaCppSource(sequence, prompt, { sampling }))
    expect(asked(sequence, 'evaluate')[0]?.options).toMatchObject(sampling)
  })

  test('a call ends after maxTokens, and after stop ids of its own', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const cut = await readAll(llamaCppSource(sequence, prompt, { maxTokens: 3 }))
    expect(cut.tokens).toEqual(answer.slice(0, 3))
    expect(cut.end?.reason).toBe('max_output_tokens')
    const stopped = await readAll(llamaCppSource(sequence, prompt, { stop: [m.message] }))
    expect(stopped.tokens).toEqual(answer.slice(0, answer.indexOf(m.message) + 1))
    expect(stopped.end?.reason).toBe('stop')
    const both = await readAll(llamaCppSource(sequence, prompt, { maxTokens: answer.length }))
    expect(both.end?.reason).toBe('stop')
    expect(sequence.open).toBe(0)
  })
})

describe('the tokens that a sequence already holds', () => {
  test('the tokens of a sequence are used by the next turn, and the token drawn last is evaluated with it', async () => {
    const next = [...prompt, ...answer, ...prompt]
    const sequence = new FakeSequence(answers([next, answer], [prompt, answer]))
    await readAll(llamaCppSource(sequence, prompt))
    const { tokens, end } = await readAll(llamaCppSource(sequence, next))
    expect(tokens).toEqual(answer)
    expect(end?.usage?.cachedTokens).toBe(prompt.length + answer.length - 1)
    expect(asked(sequence, 'evaluate').at(-1)?.evaluate).toEqual([m.return, ...prompt])
    expect(asked(sequence, 'adapt').map(({ allowShift }) => allowShift)).toEqual([false, false])
  })

  test('the tokens of a sequence always leave something to evaluate: the same prompt again evaluates its last token', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    await readAll(llamaCppSource(sequence, prompt))
    const { tokens, end } = await readAll(llamaCppSource(sequence, prompt))
    expect(tokens).toEqual(answer)
    expect(end?.usage?.cachedTokens).toBe(prompt.length - 1)
    const said: unknown[] = []
    const stream = llamaCppSource(sequence, prompt, { onUsage: (usage) => void said.push(usage) })
    await stream.next()
    await stream.return()
    expect(said).toEqual([{ inputTokens: prompt.length, cachedTokens: prompt.length - 1 }])
    expect(asked(sequence, 'evaluate').at(-1)?.evaluate).toEqual(prompt.slice(-1))
  })

  test('the number of tokens of a sequence is read from the sequence, which may have dropped more than requested', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    await readAll(llamaCppSource(sequence, prompt))
    sequence.keeps = 0
    const { tokens, end } = await readAll(llamaCppSource(sequence, prompt))
    expect(tokens).toEqual(answer)
    expect(end?.usage).toEqual({ inputTokens: prompt.length, cachedTokens: 0 })
  })
})

describe('a context', () => {
  test('a context that the prompt does not fit refuses it before anything is evaluated', async () => {
    const sequence = new FakeSequence(counts, prompt.length)
    const error = await errorOf(() => llamaCppSource(sequence, prompt).next())
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'context_length_exceeded' })
    expect((error as Error).message).toMatch(
      new RegExp(`maximum context length is ${prompt.length} tokens.* your prompt has ${prompt.length} tokens`),
    )
    expect(sequence.asked).toEqual([])
  })

  test.each([undefined, 0, 2])(
    'a context that is full ends the stream with max_output_tokens (logprobs %s)',
    async (logprobs) => {
      const sequence = new FakeSequence(counts, prompt.length + 10)
      const stream = llamaCppSource(sequence, prompt, logprobs === undefined ? {} : { logprobs })
      const { tokens, end } = await readAll(stream)
      expect(tokens).toHaveLength(10)
      expect(end).toEqual({ reason: 'max_output_tokens', usage: { inputTokens: prompt.length, cachedTokens: 0 } })
      expect(sequence.tokens.slice(0, prompt.length)).toEqual(prompt)
      expect(sequence.open).toBe(0)
    },
  )

  test('a context with room for one more token gives that one', async () => {
    const sequence = new FakeSequence(counts, prompt.length + 1)
    const { tokens, end } = await readAll(llamaCppSource(sequence, prompt))
    expect(tokens).toEqual([prompt.length])
    expect(end?.reason).toBe('max_output_tokens')
  })
})

describe('log-probabilities', () => {
  test('a call for the log-probabilities of the tokens alone gives those', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const { tokens } = await readAll(llamaCppSource(sequence, prompt, { logprobs: 0 }))
    expect(tokens).toEqual(answer.map((id) => ({ id, logprob: Math.log(CONFIDENCE) })))
    expect(asked(sequence, 'withMetadata')[0]?.options).toMatchObject({ yieldEogToken: true, temperature: 1 })
    expect(sequence.open).toBe(0)
  })

  test('a call gives the log-probabilities of the likeliest tokens, as many as were asked for', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const { tokens, end } = await readAll(llamaCppSource(sequence, prompt, { logprobs: 2, sampling: { seed: 3 } }))
    const logprob = Math.log(CONFIDENCE)
    for (const [at, id] of answer.entries()) {
      const token = tokens[at] as { id: number; logprob: number; topLogprobs: { id: number; logprob: number }[] }
      expect(token.id).toBe(id)
      expect(token.logprob).toBeCloseTo(logprob, 10)
      expect(token.topLogprobs.map((top) => top.id)).toEqual([id, id + 1])
      expect(token.topLogprobs[1]?.logprob).toBeCloseTo(logprob - Math.LN10, 10)
    }
    expect(end?.reason).toBe('stop')
    const calls = asked(sequence, 'controlled')
    expect(calls.map(({ controlled }) => controlled)).toEqual([prompt, ...answer.slice(0, -1).map((id) => [id])])
    expect(calls[0]?.top).toBe(2)
    // A seed begins the random numbers anew at each of these calls: one for all would draw the same number every time.
    expect(new Set(calls.map(({ options }) => options?.seed)).size).toBe(answer.length)
  })

  test('a call for log-probabilities makes the same draws for the same seed', async () => {
    const seeds = []
    for (let n = 0; n < 2; n++) {
      const sequence = new FakeSequence(answers([prompt, answer]))
      await readAll(llamaCppSource(sequence, prompt, { logprobs: 1, sampling: { seed: 3 } }))
      seeds.push(asked(sequence, 'controlled').map(({ options }) => options?.seed))
    }
    expect(seeds[0]).toEqual(seeds[1])
  })
})

describe('an abort', () => {
  test('an abort ends a call that is waiting for a token at once, and the sequence can be used again', async () => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const call = new AbortController()
    const stream = llamaCppSource(sequence, prompt, { signal: call.signal })
    await stream.next()
    let open = (): void => {}
    sequence.gate = new Promise((resolve) => {
      open = resolve
    })
    const pending = errorOf(() => stream.next())
    call.abort(new Error('enough'))
    expect(await pending).toMatchObject({ message: 'enough' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    const next = readAll(llamaCppSource(sequence, prompt))
    open()
    expect((await next).tokens).toEqual(answer)
    expect(sequence.mixed).toBe(false)
    expect(sequence.open).toBe(0)
  })

  test('an abort is noticed between two slices of a long prompt, and the evaluated tokens are kept', async () => {
    const sequence = new FakeSequence(answers([longPrompt, answer]), 4096)
    const call = new AbortController()
    const pending = errorOf(() => llamaCppSource(sequence, longPrompt, { signal: call.signal }).next())
    while (sequence.tokens.length === 0) await new Promise((resolve) => setImmediate(resolve))
    call.abort()
    expect(await pending).toMatchObject({ name: 'AbortError' })
    const { tokens, end } = await readAll(llamaCppSource(sequence, longPrompt))
    expect(tokens).toEqual(answer)
    expect(end?.usage?.cachedTokens).toBeGreaterThan(0)
    expect(end?.usage?.cachedTokens).toBeLessThanOrEqual(1024)
    expect(Math.max(...asked(sequence, 'prefill').map(({ prefill }) => prefill.length))).toBeLessThanOrEqual(512)
  })

  test('an abort that came before the call does not use the sequence', async () => {
    const sequence = new FakeSequence(counts)
    const stream = llamaCppSource(sequence, prompt, { signal: AbortSignal.abort() })
    expect(await errorOf(() => stream.next())).toMatchObject({ name: 'AbortError' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(sequence.asked).toEqual([])
  })
})

describe('two calls on one sequence', () => {
  test('two calls on one sequence run one after the other, though they are read at once', async () => {
    const other = [...prompt, ...prompt]
    const sequence = new FakeSequence(answers([other, [...answer].reverse().concat(m.call)], [prompt, answer]))
    const both = await Promise.all([
      readAll(llamaCppSource(sequence, prompt)),
      readAll(llamaCppSource(sequence, other, { stop: [m.call] })),
      readAll(llamaCppSource(sequence, prompt)),
    ])
    expect(both.map(({ tokens }) => tokens)).toEqual([answer, [...answer].reverse().concat(m.call), answer])
    expect(sequence.mixed).toBe(false)
    expect(sequence.open).toBe(0)
  })

  test.each(['aborts', 'leaves'])('a call that waits for a sequence and %s makes room for the next', async (how) => {
    const sequence = new FakeSequence(answers([prompt, answer]))
    const first = llamaCppSource(sequence, prompt)
    await first.next()
    const call = new AbortController()
    const second = llamaCppSource(sequence, prompt, { signal: call.signal })
    const waiting = errorOf(() => second.next())
    const third = readAll(llamaCppSource(sequence, prompt))
    if (how === 'aborts') call.abort()
    else await second.return()
    expect(await waiting).toEqual(how === 'aborts' ? expect.objectContaining({ name: 'AbortError' }) : undefined)
    expect(asked(sequence, 'adapt')).toHaveLength(1)
    await first.return()
    expect((await third).tokens).toEqual(answer)
    expect(asked(sequence, 'adapt')).toHaveLength(2)
  })

  test('two calls on one sequence never mix and never leak, whatever their readers do', async () => {
    const action = fc.record({
      call: fc.nat({ max: 3 }),
      does: fc.constantFrom('next', 'next', 'next', 'abort', 'return') as fc.Arbitrary<'next' | 'abort' | 'return'>,
      waits: fc.boolean(),
    })
    const logprobs = fc.array(fc.constantFrom(undefined, 0, 2), { minLength: 4, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), logprobs, async (actions, asks) => {
        const prompts = [prompt, [...prompt, 5], [7, ...prompt], longPrompt]
        const sequence = new FakeSequence(answers(...prompts.map((one): [number[], number[]] => [one, answer])), 4096)
        const calls = prompts.map((one, at) => {
          const abort = new AbortController()
          const options = { signal: abort.signal, ...(asks[at] === undefined ? {} : { logprobs: asks[at] }) }
          return { abort, stream: llamaCppSource(sequence, one, options), got: [] as number[] }
        })
        const steps: Promise<unknown>[] = []
        for (const { call, does, waits } of actions) {
          const one = calls[call]
          if (one === undefined) continue
          if (does === 'abort') one.abort.abort()
          else if (does === 'return') steps.push(one.stream.return())
          else {
            const step = one.stream.next().then(
              ({ done, value }) => {
                if (!done) one.got.push(idOf(value))
              },
              () => {},
            )
            steps.push(step)
          }
          if (waits) await new Promise((resolve) => setImmediate(resolve))
        }
        for (const one of calls) await one.stream.return()
        await Promise.all(steps)
        for (const { got } of calls) expect(got).toEqual(answer.slice(0, got.length))
        expect((await readAll(llamaCppSource(sequence, prompt))).tokens).toEqual(answer)
        expect(sequence.mixed).toBe(false)
        expect(sequence.open).toBe(0)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('a failure', () => {
  test.each([undefined, 0, 2])('a failure of llama.cpp comes in its words, once (logprobs %s)', async (logprobs) => {
    const sequence = new FakeSequence(counts)
    const stream = llamaCppSource(sequence, prompt, logprobs === undefined ? {} : { logprobs })
    await stream.next()
    sequence.failure = new Error('Eval has failed')
    const error = await errorOf(() => stream.next())
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'server_error', message: 'llama.cpp failed: Eval has failed' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(sequence.open).toBe(0)
  })

  test('a call fails if its sequence was disposed', async () => {
    const sequence = new FakeSequence(counts)
    const stream = llamaCppSource(sequence, prompt)
    await stream.next()
    await sequence.dispose()
    expect(await errorOf(() => stream.next())).toMatchObject({ code: 'server_error' })
  })

  test('a call fails if the iterator of llama.cpp ends before the turn does', async () => {
    const sequence = new FakeSequence(counts)
    sequence.evaluate = async function* () {
      yield 1
    }
    const stream = llamaCppSource(sequence, prompt)
    await stream.next()
    expect(await errorOf(() => stream.next())).toMatchObject({ code: 'server_error' })
  })
})

describe('arguments', () => {
  const wrong: [what: string, prompt: unknown, options: unknown][] = [
    ['promptTokens', [], {}],
    ['promptTokens', 'text', {}],
    ['promptTokens', undefined, {}],
    ['promptTokens[1]', [1, 1.5], {}],
    ['promptTokens[0]', [-1], {}],
    ['promptTokens[0]', [201088], {}],
    ['promptTokens[0]', ['1'], {}],
    ['options', [1], null],
    ['maxTokens', [1], { maxTokens: 0 }],
    ['maxTokens', [1], { maxTokens: 1.5 }],
    ['logprobs', [1], { logprobs: 21 }],
    ['logprobs', [1], { logprobs: -1 }],
    ['logprobs', [1], { logprobs: true }],
    ['stop', [1], { stop: 5 }],
    ['stop[0]', [1], { stop: ['<|return|>'] }],
    ['signal', [1], { signal: {} }],
    ['sampling', [1], { sampling: 1 }],
    ['sampling.temperature', [1], { sampling: { temperature: -1 } }],
    ['sampling.temperature', [1], { sampling: { temperature: Number.NaN } }],
    ['sampling.topP', [1], { sampling: { topP: 1.1 } }],
    ['sampling.topK', [1], { sampling: { topK: 0.5 } }],
    ['sampling.minP', [1], { sampling: { minP: -0.1 } }],
    ['sampling.seed', [1], { sampling: { seed: 1.5 } }],
  ]

  test.each(wrong)('a wrong %s is refused by the call itself', (what, tokens, options) => {
    const sequence = new FakeSequence(counts)
    const call = () => llamaCppSource(sequence, tokens as number[], options as GenerateOptions)
    expect(call).toThrow(HarmonyResponsesError)
    expect(call).toThrow(`${what}: expected `)
    expect(sequence.asked).toEqual([])
  })

  test('a value that is not a sequence is refused', () => {
    expect(() => llamaCppSource({} as never, prompt)).toThrow('sequence: expected a LlamaContextSequence')
  })
})
