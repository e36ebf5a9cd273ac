import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, stepCountIs, streamText, type ToolSet, tool } from 'ai'
import type { Outcome, Replayer } from '../replay.js'

/**
 * `streamText` with a model of @ai-sdk/openai-compatible, for one step: later steps do not depend on this stream.
 */
export const aiSdkReplayer: Replayer = {
  client: 'ai-sdk',
  async replay(body) {
    const provider = createOpenAICompatible({
      name: 'replayed',
      apiKey: 'none',
      baseURL: 'http://replayed.invalid/v1',
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const { fullStream, text } = streamText({
      model: provider.chatModel('gpt-oss-20b'),
      prompt: 'replay',
      tools: toolsIn(body),
      stopWhen: stepCountIs(1),
      maxRetries: 0,
      onError: () => {},
    })
    const result = Promise.resolve(text).catch(() => undefined)
    let [streamed, reasoning, isOwnError] = ['', '', false]
    let [ending, error, finish]: [Outcome['ending'] | undefined, string | undefined, Outcome['finish']] = [
      undefined,
      undefined,
      undefined,
    ]
    const calls: Outcome['calls'][number][] = []
    try {
      for await (const part of fullStream) {
        if (part.type === 'text-delta') streamed += part.text
        else if (part.type === 'reasoning-delta') reasoning += part.text
        else if (part.type === 'tool-call') calls.push({ name: part.toolName, arguments: part.input })
        else if (part.type === 'error') {
          error ??= messageOf(part.error)
          isOwnError ||= Object(part.error).name !== 'AI_StreamProviderError'
        } else if (part.type === 'finish') {
          ending = endingOf(part.finishReason, part.rawFinishReason)
          if (part.finishReason === 'stop' || part.finishReason === 'tool-calls') finish = part.finishReason
        }
      }
    } catch (thrown) {
      error ??= String(thrown)
      isOwnError = true
    }
    const final = await result
    return {
      streamed,
      ...(final !== undefined && { final }),
      reasoning,
      calls,
      citations: [],
      ending: isOwnError ? 'threw' : (ending ?? 'open'),
      ...(finish !== undefined && { finish }),
      ...(error !== undefined && { error }),
    }
  },
}

function endingOf(reason: string, raw: string | undefined): Outcome['ending'] {
  if (reason === 'stop' || reason === 'tool-calls') return 'completed'
  if (reason === 'error') return 'failed'
  // A refusal is also `content-filter`, although the answer completed.
  if (reason === 'content-filter' && raw === 'stop') return 'completed'
  return reason === 'length' || reason === 'content-filter' ? 'incomplete' : 'open'
}

/** The error message, without the repeated chunk and the SDK's list of expectations. */
function messageOf(error: unknown): string {
  const { name, message } = Object(error) as { name?: string; message?: string }
  if (name === 'AI_TypeValidationError') return 'Type validation failed'
  return message ?? String(error)
}

/** All tools that the stream names, as if the application had declared each. */
function toolsIn(body: string): ToolSet {
  const tools: ToolSet = {}
  for (const [, quoted] of body.matchAll(/"name":("(?:[^"\\]|\\.)*")/g)) {
    const name = JSON.parse(quoted as string) as string
    if (name !== '') tools[name] = tool({ inputSchema: jsonSchema<unknown>({}), execute: () => 'done' })
  }
  return tools
}
