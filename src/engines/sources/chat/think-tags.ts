import type { ChatTraits } from './traits.js'

/** A piece of a content, as reasoning or as text. */
export interface Thought {
  readonly reasoning: string
  readonly content: string
}

const BEGIN = '<think>'
const END = '</think>'
/** The characters of white space, and of half a tag, after which no tag is expected. */
export const MAX_BEFORE_TAG = 1024

/**
 * Separates the reasoning that some servers leave in the content, between `<think>` and `</think>`, from the text. A tag may
 * be cut anywhere: what may be the beginning of one is held.
 */
export class ThinkTags {
  /** The white space around the reasoning is none of the text. */
  #place: 'before' | 'reasoning' | 'after' | 'content'
  #held = ''

  constructor(kind: NonNullable<ChatTraits['thinkTags']>) {
    this.#place = kind === 'none' ? 'content' : kind === 'end' ? 'reasoning' : 'before'
  }

  push(text: string): Thought {
    if (this.#place === 'content') return { reasoning: '', content: text }
    this.#held += text
    if (this.#place === 'after') return { reasoning: '', content: this.#afterReasoning() }
    if (this.#place === 'before') {
      const rest = this.#held.trimStart()
      const isOpen = rest.length < BEGIN.length && BEGIN.startsWith(rest)
      if (isOpen && this.#held.length <= MAX_BEFORE_TAG) return NOTHING
      if (!rest.startsWith(BEGIN)) return this.#release()
      this.#place = 'reasoning'
      this.#held = rest.slice(BEGIN.length)
    }
    const end = this.#held.indexOf(END)
    if (end === -1) {
      const certain = this.#held.length - partLength(this.#held, END)
      const reasoning = this.#held.slice(0, certain)
      this.#held = this.#held.slice(certain)
      return { reasoning, content: '' }
    }
    const reasoning = this.#held.slice(0, end)
    this.#place = 'after'
    this.#held = this.#held.slice(end + END.length)
    return { reasoning, content: this.#afterReasoning() }
  }

  #afterReasoning(): string {
    this.#held = this.#held.trimStart()
    return this.#held === '' ? '' : this.#release().content
  }

  /** Returns what is held, once nothing follows. */
  end(): Thought {
    const isReasoning = this.#place === 'reasoning'
    const { content } = this.#release()
    return isReasoning ? { reasoning: content, content: '' } : { reasoning: '', content }
  }

  #release(): Thought {
    const content = this.#held
    this.#held = ''
    this.#place = 'content'
    return { reasoning: '', content }
  }
}

const NOTHING: Thought = { reasoning: '', content: '' }

/** Returns the length of the longest end of the text with which the tag begins. */
function partLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
