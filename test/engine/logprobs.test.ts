import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VOCABULARY_SIZE } from '../../src/core/harmony/vocabulary.js'
import { createLlamaCppEngine, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { UNSURE_SHARPNESS } from './build-models.js'
import { drain, streamed } from './drain.js'
import { cpuLlama, models } from './model.js'
import { plainAnswer } from './scripts.js'
import { CODE_BITS, layoutFor } from './tiny-gpt-oss/layout.js'

const llama = await cpuLlama()
const prompt = encodeHarmony(plainAnswer.prompt)
const answer = encodeHarmony(plainAnswer.answer)
let engine: LlamaCppEngine

beforeAll(async () => {
  engine = await createLlamaCppEngine({ modelPath: models.unsure, llama, contextSize: 512 })
})

afterAll(() => llama.dispose())

/**
 * By how much the score of a token falls for each bit in which its code differs from that of the scripted one: the
 * output matrix adds or subtracts the normalized channels of the next token's code, in which all of the length lies.
 */
const SCORE_OF_A_BIT = 2 * UNSURE_SHARPNESS * Math.sqrt(layoutFor(9).channels / CODE_BITS)

const logprobs = new Map<number, number>()

/** The scripted token's log-probability by the weights. */
function logprobOf(id: number): number {
  const known = logprobs.get(id)
  if (known !== undefined) return known
  let total = 0
  for (let other = 0; other < VOCABULARY_SIZE; other++) total += SHARES[differentBits(id, other)] ?? 0
  const logprob = -Math.log(total)
  logprobs.set(id, logprob)
  return logprob
}

/** The weight of a token, relative to the likeliest one, whose code differs in so many bits. */
const SHARES = Array.from({ length: CODE_BITS + 1 }, (_, bits) => Math.exp(-SCORE_OF_A_BIT * bits))

function differentBits(one: number, other: number): number {
  let count = 0
  for (let different = one ^ other; different !== 0; different >>= 1) count += different & 1
  return count
}

/** Equal to within 0.01: processors add in different orders. */
function expectClose(values: readonly (number | undefined)[], expected: readonly number[]): void {
  expect(values).toHaveLength(expected.length)
  for (const [at, value] of values.entries())
    expect(Math.abs((value ?? Number.NaN) - (expected[at] ?? 0))).toBeLessThan(0.01)
}

describe('the log-probabilities', () => {
  test.for([0, 1, 3, 20])(
    'the log-probabilities of the tokens are those of the model, beside %s others',
    async (logprobs) => {
      const { tokens, ids } = await drain(engine.generate(prompt, { sampling: { temperature: 0 }, logprobs }))
      expect(ids).toEqual(answer)
      expectClose(
        tokens.map(({ logprob }) => logprob),
        answer.map(logprobOf),
      )
    },
  )

  test('the log-probabilities of the likeliest tokens begin with the token itself, and fall as the weights prescribe', async () => {
    const { tokens } = await drain(engine.generate(prompt, { sampling: { temperature: 0 }, logprobs: 3 }))
    for (const { id, logprob = 0, topLogprobs = [] } of tokens) {
      expect(topLogprobs[0]).toEqual({ id, logprob })
      expectClose(
        topLogprobs.map((top) => top.logprob),
        [0, -1, -1].map((bits) => logprobOf(id) + bits * SCORE_OF_A_BIT),
      )
      expect(topLogprobs.slice(1).map((top) => differentBits(top.id, id))).toEqual([1, 1])
    }
  })

  test('log-probabilities are absent if they were not requested', async () => {
    const { tokens } = await drain(engine.generate(prompt, { sampling: { temperature: 0 } }))
    for (const token of tokens) expect(Object.keys(token)).toEqual(['id'])
  })

  test('log-probabilities reach the events, text by text', async () => {
    const source = engine.generate(prompt, { sampling: { temperature: 0 }, logprobs: 2 })
    const request = { include: ['message.output_text.logprobs'], top_logprobs: 2 } as const
    const { response } = await streamed(source, { request: { ...request, include: [...request.include] } })
    const [message] = response.output
    const [part] = message?.type === 'message' ? message.content : []
    const logprobs = part?.type === 'output_text' ? (part.logprobs ?? []) : []
    expect(logprobs.map(({ token }) => token).join('')).toBe('Hello, world! How are you today?')
    expectClose(
      logprobs.map(({ logprob }) => logprob),
      answer.slice(3, -1).map(logprobOf),
    )
    for (const { token, top_logprobs: top } of logprobs) expect([top.length, top[0]?.token]).toEqual([2, token])
  })
})

describe('a seed', () => {
  test.for([undefined, 0, 2])('a seed repeats the sampled tokens, with log-probabilities %s', async (logprobs) => {
    const options = logprobs === undefined ? {} : { logprobs }
    const draw = async (seed: number): Promise<string> =>
      (await drain(engine.generate(prompt, { sampling: { seed }, maxTokens: 40, ...options }))).ids.join()
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8]
    const first: string[] = []
    const second: string[] = []
    for (const seed of seeds) first.push(await draw(seed))
    for (const seed of seeds) second.push(await draw(seed))
    expect(second).toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(1)
  })
})
