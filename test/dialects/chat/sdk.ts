import OpenAI from 'openai'
import type { ChatCompletion as SdkCompletion } from 'openai/resources/chat/completions'

/** A client of the real SDK whose server gives this answer. */
export function clientOf(answer: () => Response): OpenAI {
  return new OpenAI({ apiKey: 'none', baseURL: 'http://test.invalid/v1', maxRetries: 0, fetch: async () => answer() })
}

const ASKED = { model: 'gpt-oss', messages: [{ role: 'user' as const, content: 'hi' }] }

/** What the SDK's stream helper makes of a stream, without the fields that it adds. */
export async function accumulated(stream: Response): Promise<unknown> {
  const completion = await clientOf(() => stream)
    .chat.completions.stream(ASKED)
    .finalChatCompletion()
  return JSON.parse(JSON.stringify(completion), (key, value) => (key === 'parsed' ? undefined : value))
}

/** What the SDK makes of an answer that does not stream. */
export async function received(answer: object): Promise<SdkCompletion> {
  return await clientOf(() => Response.json(answer)).chat.completions.create(ASKED)
}
