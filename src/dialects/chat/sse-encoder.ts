import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { encodeSseData } from '../../core/sse/encode.js'
import type { ChatAnswerOptions } from './answer-options.js'
import type { ChatChunk, ChatError } from './completion.js'
import { createChatEncoder } from './to-chunks.js'

/** Encodes an event as SSE frames, each like `encodeSseData`; as an empty text if it maps to none. */
export type ChatSseEncoder = (event: ResponseStreamEvent) => string

/**
 * Creates {@link createChatEncoder} with its chunks as frames, for servers that write them themselves. It is faster
 * than `encodeSseData`, because it serializes the common part of a stream's chunks only once.
 *
 * @throws HarmonyResponsesError `bad_option`; at an event, `bad_stream`
 *
 * @example
 * ```ts
 * import { createChatSseEncoder } from 'harmony-responses/dialects'
 *
 * const encode = createChatSseEncoder({ model: 'gpt-oss-20b' })
 * for (const event of events) save(encode(event))
 * ```
 */
export function createChatSseEncoder(options: ChatAnswerOptions = {}): ChatSseEncoder {
  const encode = createChatEncoder(options)
  let around: readonly string[] | undefined

  function frame(chunk: ChatChunk | ChatError): string {
    const choice = 'choices' in chunk ? chunk.choices[0] : undefined
    if (choice === undefined || choice.logprobs !== null || choice.finish_reason !== null) return encodeSseData(chunk)
    // Such chunks of a stream differ only in their delta. JSON escapes the quotation marks in a text.
    around ??= encodeSseData({ ...chunk, choices: [{ ...choice, delta: 0 }] }).split(/(?<="delta":)0/)
    return `${around[0]}${JSON.stringify(choice.delta)}${around[1]}`
  }

  return (event) => {
    let frames = ''
    for (const chunk of encode(event)) frames += frame(chunk)
    return frames
  }
}
