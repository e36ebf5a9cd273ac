import OpenAI from 'openai'
import { questionOf, weather } from './model/scripts.js'
import type { RealServer } from './server.js'

/**
 * A call by vLLM's own Chat Completions, which constrains it by a structural tag: of its backends, only xgrammar takes that.
 *
 * @throws APIError if the server refuses it
 */
export async function ownCall({ url }: RealServer): Promise<{ readonly name: string; readonly arguments: unknown }> {
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0, timeout: 600_000 })
  const properties = { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } }
  const parameters = { type: 'object', properties, required: ['city', 'unit'], additionalProperties: false }
  const { choices } = await openai.chat.completions.create({
    ...{ model: 'gpt-oss', max_completion_tokens: 60, messages: [{ role: 'user', content: questionOf(weather) }] },
    tools: [{ type: 'function', function: { name: 'get_weather', parameters, strict: true } }],
  })
  const [call] = choices[0]?.message.tool_calls ?? []
  if (call?.type !== 'function') throw new Error(`expected a call, got ${JSON.stringify(choices)}`)
  return { name: call.function.name, arguments: JSON.parse(call.function.arguments) }
}
