import { expect, test } from 'vitest'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { errorOf } from '../support/error-of.js'
import { readTokens } from '../support/read-tokens.js'
import { decodeTokens, encodeHarmony } from '../support/tokens.js'
import { forge, hello } from './model/scripts.js'

/** The flags of a server that asks for a key. */
export const WITH_KEY = ['--api-key', 'a-key-for-tests'] as const
const [, KEY] = WITH_KEY

const CITY = {
  ...{ type: 'object', properties: { city: { enum: ['Naples'] } } },
  ...{ required: ['city'], additionalProperties: false },
}

/** @param create - makes an engine in front of the server */
export function keyRows(name: string, create: (options: { readonly apiKey?: string }) => TokenEngine): void {
  test(`${name} with a key answers an engine that has it, and tells it all that it asks`, async () => {
    const engine = create({ apiKey: KEY })
    await engine.health?.()
    const { constraints = [], contextLength } = (await engine.capabilities?.({ constraints: true })) ?? {}
    expect([constraints.includes('json_schema'), typeof contextLength]).toEqual([true, 'number'])
    const { tokens } = await readTokens(engine.generate(encodeHarmony(hello.prompt)))
    expect(tokens).toEqual(encodeHarmony(hello.answer))
    const prompt = encodeHarmony(forge.prompt + forge.answer)
    const body = await readTokens(engine.generate(prompt, { constraint: { jsonSchema: CITY }, maxTokens: 40 }))
    expect(JSON.parse(decodeTokens(body.tokens.slice(0, -1).map(Number)))).toEqual({ city: 'Naples' })
  })

  test.each([{}, { apiKey: 'another-key' }])(`${name} with a key refuses an engine with %j`, async (options) => {
    const error = await errorOf(readTokens(create(options).generate(encodeHarmony(hello.prompt))))
    expect(error).toMatchObject({ name: 'EngineError', status: 401 })
    expect(String(error)).not.toContain('another-key')
  })
}
