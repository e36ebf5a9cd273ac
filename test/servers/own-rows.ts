import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import * as said from './model/scripts.js'
import type { RealServer } from './server.js'

const questionOf = ({ prompt }: { readonly prompt: string }): string =>
  /user<\|message\|>(.*)<\|end\|>/.exec(prompt)?.[1] ?? ''

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 40 }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
} as const
const WEATHER = { type: 'function', name: 'get_weather', parameters: PARAMETERS, strict: true } as const

/**
 * The answers of vLLM's own `/v1/responses` to the requests of `served-rows.ts`: the left column of the table in
 * docs/migrate.md.
 */
export function ownRows(server: () => RealServer): void {
  describe("vLLM's own endpoint", () => {
    const model = 'gpt-oss'
    let openai: OpenAI
    beforeAll(() => {
      openai = new OpenAI({ apiKey: 'none', baseURL: `${server().url}/v1`, maxRetries: 0, timeout: 600_000 })
    })

    test.each(['required', { type: 'function', name: 'get_weather' }] as const)(
      "vLLM's own endpoint answers in text where a call is demanded: %j",
      async (tool_choice) => {
        const body = { model, input: questionOf(said.hello), tools: [WEATHER], tool_choice, max_output_tokens: 60 }
        const { output } = await openai.responses.create(body)
        expect(output.map(({ type }) => type)).not.toContain('function_call')
      },
    )

    test("vLLM's own endpoint shows the markers of a malformed header as text", async () => {
      const { output_text } = await openai.responses.create({ model, input: questionOf(said.malformed) })
      expect(output_text).toContain('<|start|>assistant')
    })

    test("vLLM's own endpoint has no log-probabilities", async () => {
      const include = ['message.output_text.logprobs' as const]
      const asked = openai.responses.create({ model, input: questionOf(said.hello), include, top_logprobs: 3 })
      await expect(asked).rejects.toMatchObject({ status: 400 })
    })

    test("vLLM's own endpoint completes a response that the limit of tokens ended", async () => {
      const body = { model, input: questionOf(said.endless), max_output_tokens: 20, stream: true as const }
      const types: string[] = []
      for await (const { type } of await openai.responses.create(body)) types.push(type)
      expect(types.at(-1)).toBe('response.completed')
    })

    test("vLLM's own endpoint refuses an input that is too long without the code of the API", async () => {
      const error = await openai.responses.create({ model, input: 'word '.repeat(5000) }).catch((thrown) => thrown)
      expect(error).toMatchObject({ status: 400 })
      expect(error.code).not.toBe('context_length_exceeded')
    })
  })
}
