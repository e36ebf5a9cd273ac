import { isAnswer, isReasoning } from './drop-reasoning.js'
import type { MessageSpan, RenderedMessages } from './prompt-message.js'
import { createTokenBuffer, type TokenBuffer } from './token-buffer.js'

/** A part of the tokens. */
interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The tokens of a growing conversation, without the reasoning before its last answer, like `dropOldReasoning`: the next
 * answer drops the reasoning until then. Adding messages and copying everything take time linear in the tokens.
 */
export class SettledTokens {
  #buffer: TokenBuffer = createTokenBuffer()
  /** The spans of reasoning since the last answer. */
  #reasoning: Span[] = []

  /** The number of tokens. */
  get length(): number {
    return this.#buffer.length
  }

  /** Its size in bytes. */
  get bytes(): number {
    return 4 * this.#buffer.length + 16 * this.#reasoning.length
  }

  add({ tokens, messages }: RenderedMessages): void {
    const answer = messages.findLastIndex(isAnswer)
    if (answer !== -1 && this.#reasoning.length > 0) {
      const buffer = createTokenBuffer()
      this.#copyTo(buffer, true)
      this.#buffer = buffer
      this.#reasoning = []
    }
    appendMessages(this.#buffer, tokens, messages, answer, (span) => this.#reasoning.push(span))
  }

  /** Copies everything, and then the messages that follow, which are not added. */
  copyTo(buffer: TokenBuffer, { tokens, messages }: RenderedMessages): void {
    const answer = messages.findLastIndex(isAnswer)
    this.#copyTo(buffer, answer !== -1)
    appendMessages(buffer, tokens, messages, answer, () => {})
  }

  #copyTo(buffer: TokenBuffer, isAnswered: boolean): void {
    const ids = this.#buffer.view()
    let from = 0
    for (const { start, end } of isAnswered ? this.#reasoning : []) {
      buffer.append(ids.subarray(from, start))
      from = end
    }
    buffer.append(ids.subarray(from))
  }
}

/** @param answer - the index of the last answer: earlier reasoning is omitted */
function appendMessages(
  buffer: TokenBuffer,
  tokens: Uint32Array,
  messages: readonly MessageSpan[],
  answer: number,
  onReasoning: (span: Span) => void,
): void {
  for (const [index, message] of messages.entries()) {
    const isThought = isReasoning(message)
    if (isThought && index < answer) continue
    const start = buffer.length
    buffer.append(tokens.subarray(message.start, message.end))
    if (isThought) onReasoning({ start, end: buffer.length })
  }
}
