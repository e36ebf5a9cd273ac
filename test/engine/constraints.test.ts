import { Ajv } from 'ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import {
  createLlamaCppEngine,
  type GenerateOptions,
  type LlamaCppEngine,
  STOP_TOKENS,
} from '../../src/engines/sources/llama-cpp.js'
import { runs } from '../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../support/tokens.js'
import { type Drained, drain } from './drain.js'
import { cpuLlama, models } from './model.js'
import { breakout, plainAnswer, prose, type Turn, willing } from './scripts.js'

const llama = await cpuLlama()
let engine: LlamaCppEngine
/** Its model prefers control tokens at every step. */
let rebel: LlamaCppEngine

beforeAll(async () => {
  engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512 })
  rebel = await createLlamaCppEngine({ modelPath: models.rebel, llama, contextSize: 512 })
})

afterAll(() => llama.dispose())

const CITY = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 12 }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
}

function write({ prompt }: Turn, options: GenerateOptions, by: LlamaCppEngine = engine): Promise<Drained> {
  return drain(by.generate(encodeHarmony(prompt), { maxTokens: 200, ...options }))
}

/** The text of a body that ends with one end of sequence, and has no other special token. */
function textOf({ ids, end }: Drained): string {
  expect(end?.reason).toBe('stop')
  expect(STOP_TOKENS).toContain(ids.at(-1))
  const body = ids.slice(0, -1)
  expect(body.filter((id) => id >= FIRST_SPECIAL)).toEqual([])
  return decodeTokens(body)
}

/** Schemas of finite texts, because a model that prefers other text never closes a string by itself. */
function schema(depth = 2): fc.Arbitrary<Record<string, unknown>> {
  const small = fc.integer({ min: 0, max: 4 })
  const flat = fc.oneof(
    small.map((maxLength) => ({ type: 'string', maxLength })),
    fc
      .uniqueArray(fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 3 })
      .map((all) => ({ enum: all })),
    fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { type: ['boolean', 'null'] }),
    fc.tuple(small, small).map(([low, more]) => ({ type: 'integer', minimum: low - 20, maximum: low + more })),
  )
  if (depth === 0) return flat
  const nested = schema(depth - 1)
  return fc.oneof(
    flat,
    fc.tuple(nested, small).map(([items, maxItems]) => ({ type: 'array', items, maxItems: Math.min(2, maxItems) })),
    fc.tuple(nested, flat).map((anyOf) => ({ anyOf })),
    fc
      .tuple(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), nested, { maxKeys: 3, noNullPrototype: true }),
        fc.boolean(),
      )
      .map(([properties, isStrict]) => ({
        type: 'object',
        properties,
        required: isStrict ? Object.keys(properties) : [],
        additionalProperties: false,
      })),
  )
}

describe('a constrained body', () => {
  test.for([
    ['insists on prose', prose],
    ['tries to break out of a string with control tokens', breakout],
    ['writes what it is asked for', willing],
  ] as const)('a constrained body is valid by its schema if the model %s', async ([, turn]) => {
    const written = JSON.parse(textOf(await write(turn, { constraint: { jsonSchema: CITY } })))
    expect(new Ajv({ strict: false }).validate(CITY, written)).toBe(true)
  })

  test('a constrained body is valid by any schema, whatever the model insists on', async () => {
    await fc.assert(
      fc.asyncProperty(schema(), fc.boolean(), async (jsonSchema, isRebel) => {
        const text = textOf(await write(prose, { constraint: { jsonSchema } }, isRebel ? rebel : engine))
        const ajv = new Ajv({ strict: false })
        expect(ajv.validate(jsonSchema, JSON.parse(text)), `${text}: ${ajv.errorsText()}`).toBe(true)
      }),
      { numRuns: runs(25) },
    )
  })

  test('a constrained body of a model that keeps to its schema is its own, with its own end', async () => {
    const { ids } = await write(willing, { constraint: { jsonSchema: CITY }, stop: [m.end] })
    expect(ids).toEqual(encodeHarmony(willing.answer))
  })

  test.for([
    [{ regex: '[0-9]{3}-[a-f]{2}' }, /^[0-9]{3}-[a-f]{2}$/],
    [{ grammar: 'root ::= "yes" | "no"', syntax: 'gbnf' }, /^(yes|no)$/],
  ] as const)('a constrained body matches %j', async ([constraint, pattern]) => {
    expect(textOf(await write(prose, { constraint }))).toMatch(pattern)
  })

  test('a constrained body is sampled at any temperature, and within other limits', async () => {
    const constraint = { regex: '[ab]{8}' }
    const sampling = { temperature: 1.5, topK: 40, topP: 0.9, minP: 0.01, seed: 3 }
    expect(textOf(await write(prose, { constraint, sampling }))).toMatch(/^[ab]{8}$/)
    expect(textOf(await write(prose, { constraint, sampling: { temperature: 0 } }))).toMatch(/^[ab]{8}$/)
  })

  test('a constrained body that is cut by the limit is incomplete', async () => {
    const { ids, end } = await write(prose, { constraint: { regex: '[0-9]{30}' }, maxTokens: 3 })
    expect([ids.length, end?.reason]).toEqual([3, 'max_output_tokens'])
  })

  test.for([0, 3])(
    'a constrained body has the log-probability of each token, beside %s others of which it has none',
    async (logprobs) => {
      const { tokens, ids } = await write(willing, { constraint: { jsonSchema: CITY }, logprobs })
      expect(ids).toEqual(encodeHarmony(willing.answer))
      for (const { logprob, topLogprobs } of tokens) {
        expect(logprob).toBeCloseTo(0, 2)
        expect(topLogprobs).toBeUndefined()
      }
    },
  )

  test('all calls at once get a constrained body, each by its own grammar', async () => {
    const both = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512, parallel: 2 })
    const texts = await Promise.all(
      ['a', 'b', 'c'].map(async (letter) => {
        const constraint = { regex: `${letter}{6}` }
        return textOf(await drain(both.generate(encodeHarmony(prose.prompt), { constraint, maxTokens: 50 })))
      }),
    )
    expect(texts).toEqual(['aaaaaa', 'bbbbbb', 'cccccc'])
    await both.dispose()
  })
})

describe('the pause for a constraint', () => {
  test('the pause for a constraint evaluates one token again', async () => {
    const prompt = encodeHarmony(plainAnswer.prompt)
    const stop = [...STOP_TOKENS, m.message]
    const { ids } = await drain(engine.generate(prompt, { stop }))
    expect(ids.at(-1)).toBe(m.message)
    const body = [...prompt, ...ids]
    const { end } = await drain(engine.generate(body, { constraint: { regex: 'Hello!{1,3}' }, maxTokens: 20 }))
    // All but <|message|>, with which the header ended before it was evaluated.
    expect(end?.usage).toEqual({ inputTokens: body.length, cachedTokens: body.length - 1 })
  })
})

describe('a grammar that llama.cpp cannot read', () => {
  test('a grammar that llama.cpp cannot read is an invalid prompt, and costs the engine nothing', async () => {
    const prompt = encodeHarmony(plainAnswer.prompt)
    await drain(engine.generate(prompt))
    const call = engine.generate(prompt, { constraint: { grammar: 'root ::= "unclosed', syntax: 'gbnf' } })
    await expect(call.next()).rejects.toMatchObject({
      name: 'EngineError',
      code: 'invalid_prompt',
      message: expect.stringContaining('llama.cpp cannot read the grammar'),
    })
    const { end } = await drain(engine.generate(prompt))
    expect(end?.usage?.cachedTokens).toBe(prompt.length - 1)
  })

  test.for(['root ::= <|end|>', 'root ::= <[200007]> | "a"', 'root ::= root "a"', 'start ::= "a"', 'root ::= other'])(
    'a grammar that llama.cpp cannot read, or that asks for a banned token, never lifts the constraint: %s',
    async (grammar) => {
      const call = engine.generate(encodeHarmony(prose.prompt), {
        constraint: { grammar, syntax: 'gbnf' },
        maxTokens: 5,
      })
      const written = await drain(call).catch((error) => {
        expect(error).toMatchObject({ name: 'EngineError' })
        return undefined
      })
      if (written !== undefined) expect(textOf(written)).toBe('a')
    },
  )
})
