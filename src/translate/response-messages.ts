import type { HarmonyEvent, HarmonyHeader } from '../harmony/events.js'
import type { ResponseMessage } from '../responses/response.js'
import { appendText, createTextBuffer, type TextBuffer, textOf } from './text-buffer.js'

/** Messages as they come, of the model and of its tools. Plain JSON. */
export type MessageLog = { header: HarmonyHeader; text: TextBuffer }[]

/** Takes what the parser tells. What the host says before the model's first message is the prompt's. */
export function logMessage(messages: MessageLog, event: HarmonyEvent): void {
  if (event.type === 'message_start' && (event.origin === 'model' || messages.length > 0)) {
    messages.push({ header: event.header, text: createTextBuffer() })
  } else if (event.type === 'message_text') {
    const message = messages.at(-1)
    if (message !== undefined) appendText(message.text, event.text)
  }
}

/** The messages in the shape in which vLLM returns them. */
export function messagesOf(messages: MessageLog): ResponseMessage[] {
  return messages.map(({ header: { role, name = null, channel, recipient, contentType, constrained }, text }) => ({
    role,
    name,
    content: [{ type: 'text', text: textOf(text) }],
    ...(channel !== undefined && { channel }),
    ...(recipient !== undefined && { recipient }),
    // As the official parser gives it, and vLLM passes it on.
    ...(contentType !== undefined && { content_type: (constrained ? '<|constrain|>' : '') + contentType }),
  }))
}
