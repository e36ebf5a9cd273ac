import { ROLES, SPECIAL } from '../../core/harmony/vocabulary.js'
import { type Encoder, encoderOf } from '../../core/tokens/encoder.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aTokenTable } from '../../shared/options/checks.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import type { MessageSpan, PromptMessage, RenderedMessages } from './prompt-message.js'
import type { TextCache } from './text-cache.js'
import { createTokenBuffer, type TokenBuffer } from './token-buffer.js'

/** Options of `renderMessages`. */
export interface RenderMessagesOptions {
  /** The vocabulary, by which texts become ids. */
  readonly tokenTable: TokenTable
}

const RENDER_MESSAGES_OPTIONS: OptionTable<RenderMessagesOptions> = { tokenTable: aTokenTable }

/**
 * Renders Harmony messages as the tokens of a prompt: those of the official renderer with its dropping of analysis
 * disabled; docs/prompt.md lists the differences.
 *
 * Text never becomes a control token, whatever it spells. It takes time linear in the messages and their text.
 *
 * @throws HarmonyResponsesError `bad_option` if a message's header cannot be written: an unknown role, a tool's message
 * without the tool's name or with the name of a role, an empty word, or a word with white space
 *
 * @example
 * ```ts
 * import { renderMessages } from 'harmony-responses/prompt'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const { tokens } = renderMessages([{ role: 'user', content: 'Say hi.' }], { tokenTable: await loadTokenTable() })
 * console.log(tokens[0], tokens.at(-1)) // 200006 200007
 * ```
 */
export function renderMessages(messages: readonly PromptMessage[], options: RenderMessagesOptions): RenderedMessages {
  checkOptions('renderMessages', options, RENDER_MESSAGES_OPTIONS, ['tokenTable'])
  return atOnce(renderMessagesInSlices(messages, { ...options, work: createWork() })) as RenderedMessages
}

export interface RenderInSlicesOptions extends RenderMessagesOptions {
  readonly work: Work
  /** The maximum number of tokens. */
  readonly max?: number | undefined
  readonly known?: TextCache | undefined
}

/** Does the same in slices; returns undefined as soon as there are known to be more tokens than `max`. */
export function* renderMessagesInSlices(
  messages: readonly PromptMessage[],
  { tokenTable, work, max = Number.POSITIVE_INFINITY, known }: RenderInSlicesOptions,
): Slices<RenderedMessages | undefined> {
  const writer = createWriter(encoderOf(tokenTable), work, max, known)
  const { buffer } = writer
  const spans: MessageSpan[] = []
  for (const [index, message] of messages.entries()) {
    const start = buffer.length
    const { role, channel, recipient, item, tokens } = message
    if (tokens === undefined) {
      checkMessage(message, `messages[${index}]`)
      if (!(yield* writer.write(message))) return undefined
    } else buffer.append(tokens)
    if (buffer.length > max) return undefined
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
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

/** The cost of a message apart from its text, in characters. */
const MESSAGE = 16

interface MessageWriter {
  readonly buffer: TokenBuffer
  /** Returns false if the maximum number of tokens is exceeded; some were then not written. */
  write(message: PromptMessage): Slices<boolean>
}

function createWriter(encode: Encoder, work: Work, max: number, known: TextCache | undefined): MessageWriter {
  const buffer = createTokenBuffer()
  /** The few words of headers, which recur in each message. */
  const words = new Map<string, readonly number[]>()
  const word = (text: string): readonly number[] => {
    let ids = words.get(text)
    if (ids === undefined) {
      ids = encode(text)
      words.set(text, ids)
    }
    return ids
  }
  /** Looks up texts that later requests have again: those of the host and the developer, and of the conversation's beginning. */
  function* knownText(content: string, known: TextCache): Slices<boolean> {
    const ids = known.find(content)
    const start = buffer.length
    if (ids !== undefined) buffer.append(ids)
    else if (yield* encode.into(content, buffer, work, max)) known.add(content, () => buffer.view().subarray(start))
    else return false
    return true
  }
  return {
    buffer,
    /** Encodes part by part, like the official renderer: the tokens of ` to=NAME` never join those of the role. */
    *write({ role, name, recipient, channel, contentType = '', constrained = false, recipientAfter, content }) {
      buffer.push(SPECIAL.start)
      if (role === 'tool') buffer.append(word(name as string))
      else {
        buffer.append(word(role))
        if (name !== undefined) buffer.append(word(`:${name}`))
      }
      // `all` is the format's word for no recipient.
      const address = recipient === undefined || recipient === 'all' ? [] : word(` to=${recipient}`)
      const isAfterChannel = channel !== undefined && recipientAfter === 'channel'
      if (!isAfterChannel) buffer.append(address)
      if (channel !== undefined) {
        buffer.push(SPECIAL.channel)
        buffer.append(word(channel))
      }
      if (isAfterChannel) buffer.append(address)
      if (constrained) {
        buffer.append(word(' '))
        buffer.push(SPECIAL.constrain)
        buffer.append(word(contentType))
      } else if (contentType !== '') buffer.append(word(` ${contentType}`))
      buffer.push(SPECIAL.message)
      const texts = role === 'system' || role === 'developer' ? known : known?.said
      const isWhole = yield* texts !== undefined ? knownText(content, texts) : encode.into(content, buffer, work, max)
      buffer.push(role === 'assistant' && recipient !== undefined ? SPECIAL.call : SPECIAL.end)
      return isWhole
    },
  }
}

function checkMessage(message: PromptMessage, path: string): void {
  const { role, name, recipient, channel, contentType, content } = message
  check(ROLES.includes(role), `${path}.role`, `one of ${ROLES.join(', ')}`, role)
  // The first word of a header determines the author.
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
