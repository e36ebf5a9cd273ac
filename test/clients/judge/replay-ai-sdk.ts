import { jsonSchema, type LanguageModel, stepCountIs, streamText, type TextStreamPart, type ToolSet, tool } from 'ai'
import type { Outcome } from './replay.js'

/** A provider of the AI SDK, and how its parts are read. */
interface Provider {
  /** Its model, which sends its request by `fetch`. */
  readonly model: (fetch: () => Promise<Response>) => LanguageModel
  readonly maxOutputTokens?: number
  /** Matches the names of the server's errors. */
  readonly serverErrors: RegExp
  endingOf(reason: string, raw: string | undefined): Outcome['ending']
  /** The ending of a run without a finish part, if it showed an error. */
  readonly failed: Outcome['ending']
  /** The pages that parts cite; absent if its API has no citations. */
  pagesOf?(parts: readonly TextStreamPart<ToolSet>[]): readonly string[]
}

/** `streamText` over a replayed answer, for one step: later steps do not depend on this stream. */
export async function replayAiSdk(
  body: string,
  { model, maxOutputTokens, serverErrors, endingOf, failed, pagesOf }: Provider,
): Promise<Outcome> {
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const { fullStream, text } = streamText({
    model: model(fetch),
    prompt: 'replay',
    tools: toolsIn(body),
    stopWhen: stepCountIs(1),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
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
  const parts: TextStreamPart<ToolSet>[] = []
  try {
    for await (const part of fullStream) {
      parts.push(part)
      if (part.type === 'text-delta') streamed += part.text
      else if (part.type === 'reasoning-delta') reasoning += part.text
      else if (part.type === 'tool-call' && part.providerExecuted !== true)
        calls.push({ name: part.toolName, arguments: part.input })
      else if (part.type === 'error') {
        error ??= messageOf(part.error)
        isOwnError ||= !serverErrors.test(Object(part.error).name)
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
    // They are of the result, as its text is.
    citations: final === undefined ? [] : (pagesOf?.(parts) ?? []),
    ending: isOwnError ? 'threw' : (ending ?? (error === undefined ? 'open' : failed)),
    ...(finish !== undefined && { finish }),
    ...(error !== undefined && { error }),
  }
}

/** The ending for a finish reason. */
export function endingOf(reason: string): Outcome['ending'] {
  if (reason === 'stop' || reason === 'tool-calls') return 'completed'
  if (reason === 'error') return 'failed'
  return reason === 'length' || reason === 'content-filter' ? 'incomplete' : 'open'
}

/** The error message, without the repeated event and the SDK's list of expectations. */
function messageOf(error: unknown): string {
  const { name, message } = Object(error) as { name?: string; message?: string }
  if (name === 'AI_TypeValidationError') return 'Type validation failed'
  return message ?? String(error)
}

/** All tools that the stream names, as if the application had declared each. */
export function namesIn(body: string): readonly string[] {
  const all = [...body.matchAll(/"name":("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) => JSON.parse(quoted as string))
  return [...new Set(all as string[])].filter((name) => name !== '')
}

function toolsIn(body: string): ToolSet {
  return Object.fromEntries(
    namesIn(body).map((name) => [name, tool({ inputSchema: jsonSchema<unknown>({}), execute: () => 'done' })]),
  )
}
