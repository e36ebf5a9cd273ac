import type { HarmonyEvent, HarmonyHeader } from '../harmony/events.js'
import type { ResponseMessage } from '../responses/response.js'
import { appendText, createTextBuffer, type TextBuffer, textOf } from './text-buffer.js'

/** Messages as they come, of the model and of its tools, without text where they are hidden. Plain JSON. */
export type MessageLog = { header: HarmonyHeader; text: TextBuffer | null }[]

/** Takes what the parser tells. What the host says before the model's first message is the prompt's. */
export function logMessage(messages: MessageLog, event: HarmonyEvent, isHidden: boolean): void {
  if (event.type === 'message_start' && (event.origin === 'model' || messages.length > 0)) {
    messages.push({ header: event.header, text: isHidden ? null : createTextBuffer() })
  } else if (event.type === 'message_text') {
    const text = messages.at(-1)?.text
    if (text) appendText(text, event.text)
  }
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
