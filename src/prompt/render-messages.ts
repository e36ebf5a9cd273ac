import { check } from '../errors.js'
import { ROLES, SPECIAL } from '../harmony/vocabulary.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { MessageSpan, PromptMessage, RenderedMessages } from './prompt-message.js'
import { createTokenBuffer, type TokenBuffer } from './token-buffer.js'

export interface RenderMessagesOptions {
  readonly tokenTable: TokenTable
}

/**
 * Harmony messages as the tokens of a prompt, the same as the official renderer's with its dropping of analysis off;
 * docs/prompt.md lists the differences.
 *
 * Text never becomes a control token, whatever it spells. Takes time linear in the messages and their text.
 *
 * @throws HarmonyResponsesError `bad_option` if a message's header cannot be written: an unknown role, a tool's message
 * without the tool's name or with the name of a role, an empty word, or a word with white space
 */
export function renderMessages(
  messages: readonly PromptMessage[],
  { tokenTable }: RenderMessagesOptions,
): RenderedMessages {
  const encode = encoderOf(tokenTable)
  const buffer = createTokenBuffer()
  const spans: MessageSpan[] = []
  for (const [index, message] of messages.entries()) {
    const start = buffer.length
    const { role, channel, recipient, item } = message
    if (message.tokens === undefined) {
      checkMessage(message, `messages[${index}]`)
      renderMessage(message, encode, buffer)
    } else buffer.append(message.tokens)
    spans.push({
      role,
      ...(channel !== undefined && { channel }),
      ...(recipient !== undefined && { recipient }),
      start,
      end: buffer.length,
      ...(item !== undefined && { item }),
    })
  }
  return { tokens: buffer.toArray(), messages: spans }
}

/** Encodes part by part, as the official renderer does: the tokens of ` to=NAME` never join those of the role. */
function renderMessage(message: PromptMessage, encode: (text: string) => number[], buffer: TokenBuffer): void {
  const { role, name, recipient, channel, contentType = '', constrained = false, content } = message
  buffer.push(SPECIAL.start)
  if (role === 'tool') buffer.append(encode(name as string))
  else {
    buffer.append(encode(role))
    if (name !== undefined) buffer.append(encode(`:${name}`))
  }
  // `all` is the format's word for no recipient.
  const address = recipient === undefined || recipient === 'all' ? [] : encode(` to=${recipient}`)
  const isAfterChannel = channel !== undefined && message.recipientAfter === 'channel'
  if (!isAfterChannel) buffer.append(address)
  if (channel !== undefined) {
    buffer.push(SPECIAL.channel)
    buffer.append(encode(channel))
  }
  if (isAfterChannel) buffer.append(address)
  if (constrained) {
    buffer.append(encode(' '))
    buffer.push(SPECIAL.constrain)
    buffer.append(encode(contentType))
  } else if (contentType !== '') buffer.append(encode(` ${contentType}`))
  buffer.push(SPECIAL.message)
  buffer.append(encode(content))
  buffer.push(role === 'assistant' && recipient !== undefined ? SPECIAL.call : SPECIAL.end)
}

function checkMessage(message: PromptMessage, path: string): void {
  const { role, name, recipient, channel, contentType, content } = message
  check(ROLES.includes(role), `${path}.role`, `one of ${ROLES.join(', ')}`, role)
  // The first word of a header decides whose message it is.
  const isTool = role === 'tool'
  check(!isTool || isHeaderWord(name), `${path}.name`, 'the name of the tool, without white space', name)
  check(!isTool || !spellsRole(name), `${path}.name`, 'the name of a tool, not of a role', name)
  for (const [field, word] of Object.entries({ name, recipient, channel })) {
    check(word === undefined || isHeaderWord(word), `${path}.${field}`, 'a word without white space', word)
  }
  const isType = contentType === undefined || contentType === '' || isHeaderWord(contentType)
  check(isType, `${path}.contentType`, 'a word without white space', contentType)
  check(typeof content === 'string', `${path}.content`, 'a string', content)
}

function isHeaderWord(word: unknown): boolean {
  return typeof word === 'string' && /^[^\s\u0085]+$/.test(word)
}

function spellsRole(name: string | undefined): boolean {
  const [word = ''] = (name ?? '').split(':', 1)
  return (ROLES as readonly string[]).includes(word)
}
