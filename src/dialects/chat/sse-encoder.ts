import type { ResponseStreamEvent } from '../../responses/events.js'
import { encodeSseData } from '../../sse/encode.js'
import type { ChatAnswerOptions } from './answer-options.js'
import type { ChatChunk, ChatError } from './completion.js'
import { createChatEncoder } from './to-chunks.js'

/** Writes what an event becomes as SSE frames, each as `encodeSseData` does: none gives an empty text. */
export type ChatSseEncoder = (event: ResponseStreamEvent) => string

/**
 * {@link createChatEncoder} with its chunks as frames, for servers that write them by themselves. It is faster than
 * `encodeSseData`, because it serializes what the chunks of a stream have in common only once.
 *
 * @throws HarmonyResponsesError `bad_option`; at an event, `bad_stream`
 */
export function createChatSseEncoder(options: ChatAnswerOptions = {}): ChatSseEncoder {
  const encode = createChatEncoder(options)
  let around: readonly string[] | undefined

  function frame(chunk: ChatChunk | ChatError): string {
    const choice = 'choices' in chunk ? chunk.choices[0] : undefined
    if (choice === undefined || choice.logprobs !== null || choice.finish_reason !== null) return encodeSseData(chunk)
    // Such chunks of a stream differ in their delta alone. JSON escapes the quotation marks in a text.
    around ??= encodeSseData({ ...chunk, choices: [{ ...choice, delta: 0 }] }).split(/(?<="delta":)0/)
    return `${around[0]}${JSON.stringify(choice.delta)}${around[1]}`
  }

  return (event) => {
    let frames = ''
    for (const chunk of encode(event)) frames += frame(chunk)
    return frames
  }
}
