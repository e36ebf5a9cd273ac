import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import type { GenerateOptions, TokenEngine } from '../../../src/engines/contract/index.js'
import { tokenStream } from '../../../src/engines/contract/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { endpoint, tokenTable } from './endpoint.js'

/** An engine that reports the tokens of the longest common prefix with an earlier prompt of the same salt, as vLLM does. */
function cachingEngine() {
  const inner = scriptedEngine(() => answer('Hi'), { tokenTable })
  const earlier: { readonly prompt: readonly number[]; readonly salt: string | undefined }[] = []
  const salts: (string | undefined)[] = []
  const engine: TokenEngine = {
    health: inner.health,
    generate: (given, options: GenerateOptions = {}) =>
      tokenStream(async function* () {
        const prompt = [...given]
        const salt = options.cacheSalt
        const same = earlier.filter((each) => each.salt === salt).map((each) => commonLength(each.prompt, prompt))
        earlier.push({ prompt, salt })
        salts.push(salt)
        yield* inner.generate(prompt, { ...options })
        return { reason: 'stop', usage: { cachedTokens: Math.max(0, ...same) } }
      }),
  }
  return { engine, salts }
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((id, index) => other[index] !== id)
  return at < 0 ? one.length : at
}

const authorize = (request: Request): string | undefined => request.headers.get('authorization')?.slice(7)
const as = (owner: string) => ({ authorization: `Bearer ${owner}` })
const cached = async (
  reply: Promise<{ readonly body: { usage: { input_tokens_details: { cached_tokens: number } } } }>,
) => (await reply).body.usage.input_tokens_details.cached_tokens

test("a guess at another owner's prompt has as many cached tokens as any other", async () => {
  const { engine } = cachingEngine()
  const { create } = endpoint(engine, { authorize })
  await create({ input: 'The launch is on Monday.' }, as('ann'))
  await create({ input: 'Hello.' }, as('bob'))
  const right = await cached(create({ input: 'The launch is on Monday.' }, as('bob')))
  const wrong = await cached(create({ input: 'The launch is on Friday.' }, as('bob')))
  expect(right).toBeLessThan(wrong)
  expect(await cached(create({ input: 'The launch is on Monday.' }, as('ann')))).toBeGreaterThan(right)
})

test('the salt of an owner is the same in each process and call, and does not name the owner', async () => {
  const { engine, salts } = cachingEngine()
  for (let process = 0; process < 2; process++) {
    const { create, ask } = endpoint(engine, { authorize, store: createMemoryStore() })
    await create({ input: 'Hi' }, as('ann.smith'))
    await create({ input: 'Hi', background: true }, as('ann.smith'))
    await ask('POST', '/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }, as('ann.smith'))
    await ask('POST', '/responses/compact', { model: 'gpt-oss', input: 'Hi' }, as('ann.smith'))
    await create({ input: 'Hi' }, as('bob'))
  }
  expect(salts.length).toBeGreaterThan(8)
  expect(new Set(salts).size).toBe(2)
  expect(JSON.stringify(salts)).not.toMatch(/ann|smith|bob/)
})

test('without keys, and with sharedPrefixCache, calls have no salt', async () => {
  const { engine, salts } = cachingEngine()
  await endpoint(engine).create({ input: 'Hi' })
  await endpoint(engine, { authorize, sharedPrefixCache: true }).create({ input: 'Hi' }, as('ann'))
  expect(salts).toEqual([undefined, undefined])
})
