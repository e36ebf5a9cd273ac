import { beforeAll, describe, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import type { GenerateOptions, TokenEngine } from '../../src/engines/contract/index.js'
import { errorOf } from '../support/error-of.js'
import { readTokens } from '../support/read-tokens.js'
import { decodeTokens, encodeHarmony, m, tokenBytes } from '../support/tokens.js'
import * as said from './model/scripts.js'
import { CONTEXT } from './model/write-models.js'

/** The differences between servers. */
export interface Rows {
  readonly name: string
  /** The engine in front of the server that runs. */
  readonly engine: () => TokenEngine
  /** How many calls the server works on now. */
  readonly running: () => Promise<number>
  /** The longest prompt that is answered. */
  readonly longestPrompt: number
  /** How many tokens a prompt and its answer have together at most. Default the context. */
  readonly filled?: number
  /** Whether the server keeps what it read of a prompt for the next call. Default true. */
  readonly hasPromptCache?: boolean
  /** Whether `cacheSalt` separates that. Default false. */
  readonly hasCacheSalt?: boolean
  /** Whether the server sends the ids of a character that the model did not complete. Default true. */
  readonly sendsHalves?: boolean
  /** What refuses a constraint that cannot be compiled. Default the server. */
  readonly refusedBy?: 'server' | 'adapter'
}

const idsOf = (token: number | { readonly id: number }): number => (typeof token === 'number' ? token : token.id)
const SPOKEN = [said.hello, said.weather, said.afterWeather, said.files, said.malformed, said.emoji, said.months]
const JSON_PIZZA = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 60 } },
  required: ['city'],
  additionalProperties: false,
} as const

/** The laws of the adapter with a real server whose model plays `model/scripts.ts`. */
export function adapterRows(rows: Rows): void {
  const { name, engine, running, longestPrompt, hasPromptCache = true, hasCacheSalt = false } = rows
  const { sendsHalves = true, refusedBy = 'server', filled = CONTEXT } = rows
  const call = async (prompt: string | readonly number[], options: GenerateOptions = {}) => {
    const ids = typeof prompt === 'string' ? encodeHarmony(prompt) : prompt
    const { tokens, end } = await readTokens(engine().generate(ids, options))
    return { ids: tokens.map(idsOf as never) as number[], tokens, end }
  }

  describe(`the adapter of ${name}`, () => {
    // The server's tables and imports: the first calls of their kind take seconds.
    beforeAll(async () => {
      await call(said.hello.prompt, { logprobs: 1, maxTokens: 2 })
      await call(said.prose.prompt, { constraint: { regex: 'a' }, maxTokens: 2 })
    })

    test.each([...SPOKEN, ...said.colours])(
      `${name} through the adapter gives each token that the model samples, the stop token last: %j`,
      async (turn) => {
        const { ids, end } = await call(turn.prompt, { maxTokens: 100 })
        expect(ids).toEqual(encodeHarmony(turn.answer))
        expect(end).toMatchObject({ reason: 'stop', usage: { inputTokens: encodeHarmony(turn.prompt).length } })
      },
    )

    // One of the two: a row that another server has would show as skipped.
    if (sendsHalves) {
      test(`${name} through the adapter gives half a character as it was sampled`, async () => {
        expect((await call(said.half.prompt)).ids).toEqual(said.half.ids)
      })
    } else {
      test(`${name} through the adapter gives other ids for half a character, as many`, async () => {
        const { ids } = await call(said.half.prompt)
        expect(ids).toHaveLength(said.half.ids.length)
        expect(shownText(ids)).toBe(shownText(said.half.ids))
      })
    }

    test(`${name} through the adapter stops at ids of the caller, special or not`, async () => {
      const [word = 0] = encodeHarmony(' world')
      expect((await call(said.hello.prompt, { stop: [m.message] })).ids.at(-1)).toBe(m.message)
      expect((await call(said.hello.prompt, { stop: [word] })).ids.at(-1)).toBe(word)
    })

    test(`${name} through the adapter ends at the limit of the call`, async () => {
      const { ids, end } = await call(said.months.prompt, { maxTokens: 5 })
      expect([ids, end?.reason]).toEqual([encodeHarmony(said.months.answer).slice(0, 5), 'max_output_tokens'])
    })

    test.each([0, 3, 20])(
      `${name} through the adapter gives log-probabilities with %i alternatives, the likeliest first`,
      async (logprobs) => {
        const { tokens } = await call(said.hello.prompt, { logprobs })
        for (const token of tokens) {
          const {
            id,
            logprob,
            topLogprobs = [],
          } = token as { id: number; logprob: number; topLogprobs?: { id: number; logprob: number }[] }
          expect(logprob).toBeGreaterThan(-0.01)
          expect(topLogprobs).toHaveLength(logprobs)
          if (logprobs > 0) expect(topLogprobs[0]?.id).toBe(id)
          const values = topLogprobs.map((top) => top.logprob)
          expect(values).toEqual(values.toSorted((a, b) => b - a))
        }
      },
    )

    test(`${name} through the adapter holds a body to a regular expression, with log-probabilities beside it`, async () => {
      const prompt = encodeHarmony(said.prose.prompt + said.prose.answer)
      const { ids, tokens } = await call(prompt, { constraint: { regex: '(Napoli|Rome)' }, logprobs: 1, maxTokens: 20 })
      expect(decodeTokens(ids.filter((id) => id < FIRST_SPECIAL))).toMatch(/^(Napoli|Rome)$/)
      expect(tokens.every((token) => typeof token === 'object')).toBe(true)
    })

    test(`${name} through the adapter holds a body to a schema, and no marker can be forged in it`, async () => {
      const prompt = encodeHarmony(said.forge.prompt + said.forge.answer)
      const { ids } = await call(prompt, { constraint: { jsonSchema: JSON_PIZZA }, maxTokens: 200 })
      const special = ids.filter((id) => id >= FIRST_SPECIAL)
      expect(special.length).toBeLessThanOrEqual(1)
      const text = decodeTokens(ids.filter((id) => id < FIRST_SPECIAL))
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['city'])
    })

    test(`${name} through the adapter refuses a regular expression that cannot be compiled: the ${refusedBy} does`, async () => {
      const prompt = encodeHarmony(said.prose.prompt + said.prose.answer)
      const refused = call(prompt, { constraint: { regex: '(?<=x)[' }, maxTokens: 5 })
      await expect(refused).rejects.toMatchObject(
        refusedBy === 'server'
          ? { name: 'EngineError', code: 'invalid_prompt' }
          : { name: 'HarmonyResponsesError', code: 'bad_option' },
      )
    })

    test(`${name} through the adapter answers twenty calls at once, each by its own`, async () => {
      const turns = Array.from({ length: 20 }, (_, nth) => said.colours[nth % said.colours.length] ?? said.hello)
      const all = await Promise.all(turns.map(({ prompt }) => call(prompt)))
      expect(all.map(({ ids }) => ids)).toEqual(turns.map(({ answer }) => encodeHarmony(answer)))
    })

    test(`${name} through the adapter is idle once a call was closed`, async () => {
      const stream = engine().generate(encodeHarmony(said.endless.prompt), { maxTokens: 3000 })
      // SGLang counts only from time to time.
      do await stream.next()
      while ((await running()) === 0)
      await stream.return()
      while ((await running()) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    })

    if (hasPromptCache) {
      test(`${name} through the adapter has most of a prompt in its cache the second time`, async () => {
        const prompt = encodeHarmony(`${said.months.prompt}${said.months.answer}`.repeat(6) + said.hello.prompt)
        await call(prompt, { maxTokens: 1 })
        const { end } = await call(prompt, { maxTokens: 1 })
        expect(end?.usage?.cachedTokens).toBeGreaterThan(prompt.length * 0.8)
      })
    }
    if (hasCacheSalt) {
      test(`${name} through the adapter has nothing of a prompt in its cache that came with another salt`, async () => {
        const prompt = encodeHarmony(`${said.weather.prompt}${said.weather.answer}`.repeat(6) + said.hello.prompt)
        const cached = async (cacheSalt: string) =>
          (await call(prompt, { maxTokens: 1, cacheSalt })).end?.usage?.cachedTokens
        await cached('a'.repeat(64))
        expect(await cached('b'.repeat(64))).toBe(0)
        // vLLM keeps whole blocks of 128 tokens.
        expect(await cached('a'.repeat(64))).toBeGreaterThan(prompt.length * 0.6)
      })
    }

    test(`${name} through the adapter takes the longest prompt`, async () => {
      const { ids, end } = await call(filler(longestPrompt))
      expect(ids.length).toBeGreaterThan(0)
      expect(end).toMatchObject({ usage: { inputTokens: longestPrompt } })
    })

    test(`${name} through the adapter fills the context, and says that this ended the call`, async () => {
      const question = encodeHarmony(said.endless.prompt)
      const prompt = [...filler(longestPrompt - question.length - 20), ...question]
      const { ids, end } = await call(prompt)
      expect([prompt.length + ids.length, end?.reason]).toEqual([filled, 'max_output_tokens'])
    })

    test.each([1, CONTEXT - longestPrompt, CONTEXT - longestPrompt + 10])(
      `${name} through the adapter refuses a prompt of %i more tokens as too long`,
      async (more) => {
        const error = await errorOf(call(filler(longestPrompt + more)))
        expect(error).toMatchObject({ name: 'EngineError', code: 'context_length_exceeded' })
      },
    )

    test(`${name} through the adapter gives what fits where more is asked for`, async () => {
      const { ids } = await call(said.hello.prompt, { maxTokens: 100_000 })
      expect(ids).toEqual(encodeHarmony(said.hello.answer))
    })

    test(`${name} through the adapter proves the model, and says how much it takes`, async () => {
      await engine().health()
      const { contextLength, maxPromptLength = CONTEXT - 1 } = (await engine().capabilities?.()) ?? {}
      expect([contextLength, maxPromptLength]).toEqual([CONTEXT, longestPrompt])
    })
  })
}

/** The text of tokens, with U+FFFD for half a character. */
function shownText(ids: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => [...(tokenBytes(id) ?? [])])))
}

/** A prompt of so many tokens that no script follows. */
function filler(length: number): number[] {
  const [word = 0] = encodeHarmony(' word')
  return new Array<number>(length).fill(word)
}
