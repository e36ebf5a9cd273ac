import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { respond } from '../../../../src/endpoint/respond/index.js'
import { createLlamaServerEngine } from '../../../../src/engines/sources/llama-server.js'
import { collectResponse, loadTokenTable } from '../../../../src/index.js'

/** A llama-server that runs a gpt-oss model: `http://localhost:8080`. */
const URL = process.env['LLAMA_SERVER_URL'] ?? ''

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 40 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 14 },
  },
  required: ['city', 'unit', 'days'],
  additionalProperties: false,
}

describe.skipIf(URL === '')('a llama-server with a real model (needs LLAMA_SERVER_URL)', () => {
  const isValid = new Ajv2020().compile(schema)
  const options = { temperature: 0, max_output_tokens: 2000, reasoning: { effort: 'low' } } as const

  test('the arguments of a strict function are valid', { timeout: 300_000 }, async () => {
    const tools = [{ type: 'function', name: 'get_forecast', parameters: schema, strict: true }] as const
    const request = { ...options, input: 'What will the weather be like in Rome this week?', tools }
    const items = await outputOf({ ...request, tool_choice: 'required' })
    const calls = items.flatMap((item) => (item.type === 'function_call' ? [item.arguments] : []))
    expect(calls.length).toBeGreaterThan(0)
    for (const text of calls) expect(isValid(JSON.parse(text)), text).toBe(true)
  })

  test('an answer in a format is valid, whatever the user asks for', { timeout: 300_000 }, async () => {
    const text = { format: { type: 'json_schema', name: 'forecast', schema, strict: true } } as const
    const items = await outputOf({ ...options, input: 'Answer in prose: how warm is Rome in May, in celsius?', text })
    const answers = items.flatMap((item) => (item.type === 'message' && item.phase === 'final_answer' ? [item] : []))
    const [answer] = answers.flatMap(({ content }) => content.map((part) => part.text))
    expect(isValid(JSON.parse(answer ?? '')), answer).toBe(true)
  })

  async function outputOf(request: object): Promise<Awaited<ReturnType<typeof collectResponse>>['output']> {
    const engine = createLlamaServerEngine({ url: URL })
    return (await collectResponse(respond(request, { engine, tokenTable: await loadTokenTable() }))).output
  }
})
