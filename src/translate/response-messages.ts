import type { HarmonyHeader, Origin } from '../harmony/events.js'
import type { ResponseMessage } from '../responses/response.js'
import { appendText, createTextBuffer, type TextBuffer, textOf } from './text-buffer.js'

/** Messages as they come, of the model and of its tools, without text where they are hidden. Plain JSON. */
export type MessageLog = { header: HarmonyHeader; text: TextBuffer | null }[]

/** A message begins. What the host says before the model's first message is the prompt's. */
export function logStart(messages: MessageLog, header: HarmonyHeader, origin: Origin, isHidden: boolean): void {
  if (origin === 'model' || messages.length > 0) {
    messages.push({ header, text: isHidden ? null : createTextBuffer() })
  }
}

/** More text of the last message. */
export function logText(messages: MessageLog, text: string): void {
  const message = messages.at(-1)?.text
  if (message) appendText(message, text)
}

/** The messages that are not hidden, in the shape in which vLLM returns them. */
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
    // As the official parser gives it, and vLLM passes it on.
    ...(contentType !== undefined && { content_type: (constrained ? '<|constrain|>' : '') + contentType }),
  }
}
