import type { HarmonyHeader, Origin } from '../harmony/events.js'
import type { ResponseMessage } from '../responses/response.js'
import { appendText, createTextBuffer, type TextBuffer, textOf } from '../text/text-buffer.js'

/** The messages of the model and its tools, in order. The `text` of a hidden one is null. Plain JSON. */
export type MessageLog = { header: HarmonyHeader; text: TextBuffer | null }[]

/** Begins a message. Host messages before the model's first one belong to the prompt and are not logged. */
export function logStart(messages: MessageLog, header: HarmonyHeader, origin: Origin, isHidden: boolean): void {
  if (origin === 'model' || messages.length > 0) {
    messages.push({ header, text: isHidden ? null : createTextBuffer() })
  }
}

/** Appends text to the last message. */
export function logText(messages: MessageLog, text: string): void {
  const message = messages.at(-1)?.text
  if (message) appendText(message, text)
}

/** Returns the messages that are not hidden, in vLLM's shape. */
export function messagesOf(messages: MessageLog): ResponseMessage[] {
  return messages.flatMap(({ header, text }) => (text === null ? [] : [messageOf(header, textOf(text))]))
}

function messageOf(header: HarmonyHeader, text: string): ResponseMessage {
  const { role, name = null, channel, recipient, contentType, constrained } = header
  return {
    role,
    name,
    content: [{ type: 'text', text }],
    ...(channel !== undefined && { channel }),
    ...(recipient !== undefined && { recipient }),
    // The official parser includes the marker, and vLLM passes it on.
    ...(contentType !== undefined && { content_type: (constrained ? '<|constrain|>' : '') + contentType }),
  }
}
