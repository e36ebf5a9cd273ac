import type { HarmonyHeader } from '../harmony/events.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import {
  createNativeParser,
  type HarmonyParser,
  type HarmonyParserOptions,
  type ParserSnapshot,
} from '../harmony/parser.js'
import { FIRST_SPECIAL, SPECIAL } from '../harmony/vocabulary.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import type { HarmonyToken } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { StopSearch } from './stop-search.js'

export interface StopWatchOptions {
  /** The stop strings, none of them empty. */
  readonly strings: readonly string[]
  readonly tokenTable: TokenTable
  readonly encode: (text: string) => readonly number[]
  readonly toolNamed: NonNullable<HarmonyParserOptions['toolNamed']>
  /** Whether the message of a header is an answer: only those are searched. */
  readonly isAnswer: (header: HarmonyHeader) => boolean
  /** Where the translator's parser stands, so that both read the same messages. */
  readonly parser: ParserSnapshot
  /** The answer that is being written, as far as it is put already; undefined if none is. */
  readonly begun: string | undefined
}

/** What may be put of the tokens that a watch was given. */
export interface Watched {
  /** Those that certainly stand in front of a stop string. */
  readonly certain: readonly HarmonyToken[]
  /** Where a stop string stands: what takes the place of the tokens that are held, to the end of the turn. */
  readonly cut?: readonly number[]
  /** The stop string that stands there. */
  readonly string?: string
}

/** A token that is held back. */
interface Held {
  readonly token: HarmonyToken
  /** Where its text ends in the text of the answer. Below 0 in a header that turned out to be text. */
  end: number
  /** Whether it ends in the middle of a character. */
  isHalf: boolean
}

/** What seemed to be the header of an answer, and was its text from somewhere on. */
interface Unclosed {
  /** The text of the tokens that are held, and where in it the answer's begins. */
  readonly text: string
  readonly start: number
  /** How many of them there were when the answer turned out to have begun. */
  readonly count: number
}

const SEGMENTS: readonly number[] = [SPECIAL.start, SPECIAL.channel, SPECIAL.constrain]

/**
 * Finds stop strings in the answers of a model call, and holds tokens back until it is certain that they are in front of
 * any. It reads what the translator will read, so that what it searches is what the client is shown: also where a header
 * is malformed.
 */
export class StopWatch implements HarmonyHandler {
  readonly #options: StopWatchOptions
  readonly #parser: HarmonyParser
  readonly #held: Held[] = []
  /** Of the answer that is being written; undefined in everything else. */
  #search: StopSearch | undefined
  /** The answer's length; how much of it is put; and the rest. */
  #length = 0
  #put = 0
  #rest = ''
  #hasBegun = false
  #unclosed: Unclosed | undefined

  constructor(options: StopWatchOptions) {
    const { tokenTable, toolNamed, parser, begun } = options
    this.#options = options
    this.#parser = createNativeParser({ tokenTable, toolNamed }, this, parser)
    if (begun === undefined) return
    this.#search = new StopSearch(options.strings)
    this.messageText(begun)
    this.#put = begun.length
    this.#rest = ''
  }

  /** Takes the next token of the model. After a cut, there is none. */
  push(token: HarmonyToken): Watched {
    const id = typeof token === 'number' ? token : token.id
    const wasInBody = this.#parser.position === 'content'
    this.#hasBegun = false
    this.#parser.push(id, 'model')
    this.#held.push({ token, end: this.#length, isHalf: this.#parser.isHolding })
    if (this.#hasBegun && !wasInBody) this.#place(this.#held.length)
    return this.#watched(SEGMENTS.includes(id))
  }

  /**
   * The model has written all that it will.
   *
   * @param isCut - whether it was stopped
   */
  end(isCut: boolean): Watched {
    const wasInBody = this.#parser.position === 'content'
    this.#hasBegun = false
    this.#parser.end(isCut)
    if (this.#hasBegun && !wasInBody) this.#place(this.#held.length + 1)
    return this.#watched(true)
  }

  /** All that is held back: the call is over, and the turn goes on with another one. */
  release(): readonly HarmonyToken[] {
    return this.#take(this.#held.length)
  }

  messageStart(header: HarmonyHeader): void {
    this.#search = this.#options.isAnswer(header) ? new StopSearch(this.#options.strings) : undefined
    this.#hasBegun = this.#search !== undefined
    this.#length = 0
    this.#put = 0
    this.#rest = ''
    this.#unclosed = undefined
  }

  messageText(text: string): void {
    if (this.#search === undefined) return
    this.#search.push(text)
    this.#length += text.length
    this.#rest += text
  }

  messageEnd(): void {
    this.#search?.end()
    if (this.#search?.found === undefined) this.#search = undefined
  }

  repair(): void {}

  /** @param isSettled - whether no header that is open can still turn out to be the text of an answer */
  #watched(isSettled: boolean): Watched {
    const search = this.#search
    if (search?.found !== undefined) return this.#cut(search.found)
    if (search !== undefined) return { certain: this.#take(this.#countUpTo(search.certain)) }
    const { position, isHolding } = this.#parser
    // Between messages, a half character may begin a header.
    const isOpen = !isSettled && (position === 'header' || (position === 'between' && isHolding))
    return { certain: isOpen ? [] : this.release() }
  }

  /**
   * An answer has begun: finds out where in it the tokens end that seemed to be its header. They are those behind the
   * last marker, and the last of them may hold more of the text.
   */
  #place(count: number): void {
    const { tokenTable } = this.#options
    const detokenizer = createDetokenizer(tokenTable)
    let text = ''
    const ends = this.#held.map(({ token }) => {
      const id = typeof token === 'number' ? token : token.id
      text += id < FIRST_SPECIAL ? detokenizer.push(id) : detokenizer.flush()
      return { end: text.length, isHalf: detokenizer.carried().length > 0 }
    })
    text += detokenizer.flush()
    const start = text.length - this.#length
    for (const [at, held] of this.#held.entries()) {
      const { end, isHalf } = ends[at] as (typeof ends)[number]
      held.end = end - start
      held.isHalf = isHalf
    }
    if (this.#length === 0) return
    this.#unclosed = { text, start, count }
    // Another call may have put a part of them.
    this.#put = Math.max(0, -start)
    this.#rest = this.#rest.slice(this.#put)
  }

  /** How many of the tokens that are held end in front of a place, and with a whole character. */
  #countUpTo(place: number): number {
    const first = this.#held.findIndex(({ end }) => end > place)
    let count = first === -1 ? this.#held.length : first
    while (this.#held[count - 1]?.isHalf) count -= 1
    // Its beginning alone would still be a header.
    return this.#unclosed !== undefined && count < this.#unclosed.count ? 0 : count
  }

  #take(count: number): readonly HarmonyToken[] {
    const taken = this.#held.splice(0, count)
    const end = taken.at(-1)?.end
    if (end === undefined) return []
    this.#unclosed = undefined
    if (end > this.#put) {
      this.#rest = this.#rest.slice(end - this.#put)
      this.#put = end
    }
    return taken.map(({ token }) => token)
  }

  #cut(place: number): Watched {
    const { encode } = this.#options
    const count = this.#countUpTo(place)
    const string = this.#search?.string ?? ''
    if (this.#unclosed !== undefined && count < this.#unclosed.count) {
      return { ...this.#cutUnclosed(place, this.#unclosed), string }
    }
    const certain = this.#take(count)
    return { certain, cut: [...encode(this.#before(place)), SPECIAL.return], string }
  }

  /** What is left of a header that turned out to be text has to end as a header does. */
  #cutUnclosed(place: number, { text, start }: Unclosed): Watched {
    const { encode } = this.#options
    const header = this.#held.splice(0, this.#held.findLastIndex(({ end, isHalf }) => end <= 0 && !isHalf) + 1)
    const written = start + (header.at(-1)?.end ?? -start)
    // Another call may have put some of the answer: then its header stays as it is.
    const rest = start < 0 ? [] : [...encode(text.slice(written, start)), SPECIAL.message]
    const cut = [...rest, ...encode(this.#before(place)), SPECIAL.return]
    return { certain: header.map(({ token }) => token), cut }
  }

  /** The text in front of a place that is not put yet. */
  #before(place: number): string {
    return this.#rest.slice(0, Math.max(0, place - this.#put))
  }
}
