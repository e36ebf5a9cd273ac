import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createTransformersJsEngine,
  EngineError,
  type TransformersGeneration,
  type TransformersModel,
} from '../../../src/engines/sources/transformers-js.js'
import { sourcePlan } from '../../../src/judge/conformance/arbitraries/index.js'
import { checkSource, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { constraintLaws } from '../../support/constraint-laws.js'
import { readTokens } from '../../support/read-tokens.js'
import { RUNS } from '../../support/runs.js'

const STOPS = [200002, 200012, 199999]

/** The part of the package's class that `generate` reads. */
class Tensor {
  readonly type: string
  readonly data: BigInt64Array
  readonly dims: number[]

  constructor(type: string, data: BigInt64Array, dims: number[]) {
    this.type = type
    this.data = data
    this.dims = dims
  }
}

/**
 * A model that generates as Transformers.js does: the prompt to the streamer, then for each token a step that takes its
 * time, the token to the streamer, and the criteria, of which any ends it; `end()` only if nothing went wrong.
 */
class Model implements TransformersModel {
  readonly config = { max_position_embeddings: 100 }
  readonly calls: TransformersGeneration[] = []
  running = 0
  maxRunning = 0

  readonly step: (index: number, call: number) => number | Promise<number>

  /** @param step - the next token of this call; throws, or never answers, if the model does */
  constructor(step: (index: number, call: number) => number | Promise<number>) {
    this.step = step
  }

  async generate(options: TransformersGeneration): Promise<unknown> {
    const call = this.calls.push(options) - 1
    this.maxRunning = Math.max(this.maxRunning, ++this.running)
    try {
      const { inputs, streamer, max_new_tokens, eos_token_id, stopping_criteria } = options
      const sequences = [[...(inputs as Tensor).data]]
      const maxLength = (sequences[0]?.length ?? 0) + max_new_tokens
      streamer.put(sequences)
      for (let index = 0; ; index++) {
        await Promise.resolve()
        const token = BigInt(await this.step(index, call))
        sequences[0]?.push(token)
        streamer.put([[token]])
        const criteria = [
          (all: bigint[][]) => all.map((ids) => ids.length >= maxLength),
          (all: bigint[][]) => all.map((ids) => eos_token_id.includes(Number(ids.at(-1)))),
          ...stopping_criteria,
        ]
        const done = criteria.map((criterion) => criterion(sequences))
        if (done.some(([isDone]) => isDone)) break
      }
      streamer.end()
      return new Tensor('int64', BigInt64Array.from(sequences.flat()), [1, sequences.flat().length])
    } finally {
      this.running--
    }
  }
}

/** Samples these, and then a token without end. */
const scripted = (...tokens: number[]): Model => new Model((index) => tokens[index] ?? 7)

/** A model that plays a plan. One that hangs does so inside a step, and ends when the test finishes that step. */
function playing(plan: SourcePlan) {
  let isAsked = false
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  let finishStep = (_: number): void => {}
  const model = new Model((index) => {
    const token = plan.tokens[index]
    if (token !== undefined) return token
    if (plan.ending === 'error') throw new Error('out of memory')
    return new Promise((resolve) => {
      finishStep = resolve
    })
  })
  const generate = model.generate.bind(model)
  model.generate = async (options) => {
    isAsked = true
    // The signal is only checked between two steps, so a hanging step is finished as soon as the call is closed.
    const [criterion] = options.stopping_criteria
    const poll = setInterval(() => {
      if (criterion?.([[]])[0]) finishStep(7)
    }, 1)
    try {
      return await generate(options)
    } finally {
      clearInterval(poll)
      close()
    }
  }
  return { model, backend: { wasAsked: () => isAsked, closed } }
}

constraintLaws('Transformers.js', () => createTransformersJsEngine({ model: scripted(), Tensor }))

test('Transformers.js can constrain nothing, has no seed, and knows its context length', async () => {
  const engine = createTransformersJsEngine({ model: scripted(), Tensor })
  expect(await engine.capabilities?.()).toEqual({ contextLength: 100, hasSeed: false })
})

describe('an engine over Transformers.js', () => {
  test('an engine over Transformers.js keeps the laws of a source', async () => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), async (plan) => {
        // A plan without tokens cannot end at a limit: the engine requires one of at least 1.
        fc.pre(plan.ending !== 'length' || plan.tokens.length > 0)
        const violations = await checkSource((plan, signal) => {
          const { model, backend } = playing(plan)
          const maxTokens = plan.ending === 'length' ? plan.tokens.length : 50
          const engine = createTransformersJsEngine({ model, Tensor })
          return { source: engine.generate([1, 2], { signal, maxTokens }), backend }
        }, plan)
        expect(violations).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('an engine over Transformers.js asks for all tokens to be possible, and for its own stop ids', async () => {
    const model = scripted(5, 200012)
    const engine = createTransformersJsEngine({ model, Tensor })
    const { tokens, end } = await readTokens(engine.generate(Uint32Array.of(1, 2)))
    expect(tokens).toEqual([5, 200012])
    expect(end).toEqual({ reason: 'stop', usage: { inputTokens: 2, cachedTokens: 0 } })
    expect(model.calls[0]).toMatchObject({
      inputs: new Tensor('int64', BigInt64Array.of(1n, 2n), [1, 2]),
      attention_mask: new Tensor('int64', BigInt64Array.of(1n, 1n), [1, 2]),
      max_new_tokens: 98,
      do_sample: true,
      temperature: 1,
      top_k: 0,
      eos_token_id: STOPS,
    })
    await readTokens(engine.generate([1], { sampling: { temperature: 0, topK: 5 }, maxTokens: 3, stop: [7] }))
    expect(model.calls[1]).toMatchObject({ do_sample: false, top_k: 5, max_new_tokens: 3, eos_token_id: [7] })
  })

  test('an engine over Transformers.js ends when the context is full', async () => {
    const engine = createTransformersJsEngine({ model: scripted(), Tensor, contextSize: 5 })
    expect(await readTokens(engine.generate([1, 2], { maxTokens: 10 }))).toEqual({
      tokens: [7, 7, 7],
      end: { reason: 'max_output_tokens', usage: { inputTokens: 2, cachedTokens: 0 } },
    })
    const model = scripted()
    const full = createTransformersJsEngine({ model, Tensor, contextSize: 2 }).generate([1, 2])
    await expect(full.next()).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringContaining(
        "This model's maximum context length is 2 tokens. However, your prompt has 2 tokens",
      ),
    })
    expect(model.calls).toEqual([])
  })

  test("an engine over Transformers.js fails in the model's own words", async () => {
    const cause = new Error('failed to allocate a buffer')
    const model = new Model(() => Promise.reject(cause))
    const call = createTransformersJsEngine({ model, Tensor }).generate([1])
    const error = await call.next().catch((thrown) => thrown)
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'server_error', message: 'failed to allocate a buffer', cause })
  })

  test('an engine over Transformers.js lets calls on one model wait for each other, also of two engines', async () => {
    const model = new Model((index, call) => (index === 2 ? 200002 : call))
    const engines = [createTransformersJsEngine({ model, Tensor }), createTransformersJsEngine({ model, Tensor })]
    const all = await Promise.all(
      [0, 1, 0, 1].map((at) => readTokens((engines[at] as (typeof engines)[0]).generate([1]))),
    )
    expect(all.map(({ tokens }) => tokens)).toEqual([0, 1, 2, 3].map((call) => [call, call, 200002]))
    expect(model.maxRunning).toBe(1)
  })

  test('an engine over Transformers.js gives the turn on when the model is done, not when the reader is', async () => {
    const model = scripted()
    const engine = createTransformersJsEngine({ model, Tensor })
    const left = engine.generate([1])
    await left.next()
    await left.return()
    expect((await readTokens(engine.generate([1], { maxTokens: 2 }))).tokens).toEqual([7, 7])
    expect(model.maxRunning).toBe(1)
  })

  test('an engine over Transformers.js lets a caller that waits for a turn leave', async () => {
    let finish = (_: number): void => {}
    const model = new Model(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    const engine = createTransformersJsEngine({ model, Tensor })
    const first = engine.generate([1])
    const step = first.next()
    const abort = new AbortController()
    const second = engine.generate([2], { signal: abort.signal })
    const waiting = second.next()
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    finish(200002)
    expect((await step).value).toBe(200002)
    expect((await first.next()).done).toBe(true)
    expect(model.calls).toHaveLength(1)
    const third = readTokens(engine.generate([3]))
    while (model.calls.length < 2) await new Promise((resolve) => setTimeout(resolve))
    await Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => Promise.resolve())
    finish(200002)
    expect((await third).tokens).toEqual([200002])
  })

  test('an engine over Transformers.js buffers tokens that were not read yet, up to the limit', async () => {
    const model = scripted()
    const call = createTransformersJsEngine({ model, Tensor }).generate([1], { maxTokens: 40 })
    await call.next()
    while (model.running > 0) await new Promise((resolve) => setTimeout(resolve))
    expect((await readTokens(call)).tokens).toHaveLength(39)
  })

  test('an engine over Transformers.js refuses what Transformers.js cannot do', () => {
    const engine = createTransformersJsEngine({ model: scripted(), Tensor })
    expect(() => engine.generate([1], { sampling: { topP: 0.9 } })).toThrow(
      'sampling.topP: expected 1 (Transformers.js supports nothing else), got 0.9',
    )
    expect(() => engine.generate([1], { sampling: { minP: 0.1 } })).toThrow('sampling.minP')
    expect(() => engine.generate([1], { sampling: { seed: 1 } })).toThrow('sampling.seed')
    expect(() => engine.generate([1], { logprobs: 0 })).toThrow('logprobs')
    expect(() => engine.generate([])).toThrow('promptTokens')
  })

  test('an engine over Transformers.js is well as long as it is there', async () => {
    await createTransformersJsEngine({ model: scripted(), Tensor }).health()
  })

  test('an engine over Transformers.js refuses wrong options at once', () => {
    expect(() => createTransformersJsEngine({ Tensor } as never)).toThrow('model')
    expect(() => createTransformersJsEngine({ model: scripted() } as never)).toThrow('Tensor')
    const unknown = { model: { generate: async () => {} }, Tensor }
    expect(() => createTransformersJsEngine(unknown)).toThrow('contextSize')
  })
})
