import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import * as said from './model/scripts.js'
import type { RealServer } from './server.js'

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 40 }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
} as const
const WEATHER = { type: 'function', name: 'get_weather', parameters: PARAMETERS, strict: true } as const

/** Whether a text is JSON as `PARAMETERS` has it. */
function isWeather(text: string | undefined): boolean {
  try {
    const { city, unit } = JSON.parse(text ?? '')
    return typeof city === 'string' && ['celsius', 'fahrenheit'].includes(unit)
  } catch {
    return false
  }
}

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
        const body = { model, input: said.questionOf(said.hello), tools: [WEATHER], tool_choice, max_output_tokens: 60 }
        const { output } = await openai.responses.create(body)
        expect(output.map(({ type }) => type)).not.toContain('function_call')
      },
    )

    test("vLLM's own endpoint does not enforce the schema of a strict function", async () => {
      const tools = [{ ...WEATHER, name: 'emit' }]
      const { output } = await openai.responses.create({ model, input: said.questionOf(said.freeCall), tools })
      const [call] = output.filter((item) => item.type === 'function_call')
      expect(isWeather(call?.arguments)).toBe(false)
    })

    test("vLLM's own endpoint refuses a strict format, or answers in other text", async () => {
      const format = { type: 'json_schema', name: 'weather', schema: PARAMETERS, strict: true } as const
      const asked = openai.responses.create({ model, input: said.questionOf(said.prose), text: { format } })
      const answer = await asked.catch((error: unknown) => error)
      if (answer instanceof OpenAI.APIError) expect(answer.status).toBe(400)
      else expect(isWeather((answer as OpenAI.Responses.Response).output_text)).toBe(false)
    })

    test("vLLM's own endpoint forgets its responses", async () => {
      const { id } = await openai.responses.create({ model, input: said.questionOf(said.hello) })
      const next = openai.responses.create({ model, input: 'More.', previous_response_id: id })
      await expect(next).rejects.toMatchObject({ status: 404 })
    })

    test("vLLM's own endpoint gives its messages to a client that asks for them", async () => {
      const body = { model, input: said.questionOf(said.hello), enable_response_messages: true }
      expect(await openai.responses.create(body)).toMatchObject({ output_messages: [{}] })
    })

    test("vLLM's own endpoint shows the markers of a malformed header as text", async () => {
      const { output_text } = await openai.responses.create({ model, input: said.questionOf(said.malformed) })
      expect(output_text).toContain('<|start|>assistant')
    })

    test("vLLM's own endpoint has no log-probabilities", async () => {
      const include = ['message.output_text.logprobs' as const]
      const asked = openai.responses.create({ model, input: said.questionOf(said.hello), include, top_logprobs: 3 })
      await expect(asked).rejects.toMatchObject({ status: 400 })
    })

    test("vLLM's own endpoint completes a response that the limit of tokens ended", async () => {
      const body = { model, input: said.questionOf(said.endless), max_output_tokens: 20, stream: true as const }
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
