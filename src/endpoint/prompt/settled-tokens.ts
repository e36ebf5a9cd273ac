import { onePass, type Slices, type Work } from '../../shared/slices.js'
import { isAnswer, isReasoning } from './drop-reasoning.js'
import type { RenderedMessages } from './prompt-message.js'
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

  *add({ tokens, messages }: RenderedMessages, work: Work): Slices<void> {
    const answer = messages.findLastIndex(isAnswer)
    if (answer !== -1 && this.#reasoning.length > 0) {
      const buffer = createTokenBuffer()
      this.#copyTo(buffer, true)
      this.#buffer = buffer
      this.#reasoning = []
      yield* onePass(tokens, work)
    }
    yield* appendMessages(this.#buffer, { tokens, messages }, answer, (span) => this.#reasoning.push(span), work)
  }

  /** Copies everything, and then the messages that follow, which are not added. */
  *copyTo(buffer: TokenBuffer, { tokens, messages }: RenderedMessages, work: Work): Slices<void> {
    const answer = messages.findLastIndex(isAnswer)
    this.#copyTo(buffer, answer !== -1)
    yield* appendMessages(buffer, { tokens, messages }, answer, () => {}, work)
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
function* appendMessages(
  buffer: TokenBuffer,
  { tokens, messages }: RenderedMessages,
  answer: number,
  onReasoning: (span: Span) => void,
  work: Work,
): Slices<void> {
  for (const [index, message] of messages.entries()) {
    const isThought = isReasoning(message)
    if (isThought && index < answer) continue
    const start = buffer.length
    buffer.append(tokens.subarray(message.start, message.end))
    if (isThought) onReasoning({ start, end: buffer.length })
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
}

/** The cost of a message, in encoded characters. */
const MESSAGE = 2
