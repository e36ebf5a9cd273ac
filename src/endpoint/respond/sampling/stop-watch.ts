import type { HarmonyHeader } from '../../../core/harmony/events.js'
import type { HarmonyHandler } from '../../../core/harmony/handler.js'
import {
  createNativeParser,
  type HarmonyParser,
  type HarmonyParserOptions,
  type ParserSnapshot,
} from '../../../core/harmony/parser.js'
import { FIRST_SPECIAL, SPECIAL } from '../../../core/harmony/vocabulary.js'
import { createDetokenizer } from '../../../core/tokens/detokenizer.js'
import type { HarmonyToken } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { StopSearch } from './stop-search.js'

export interface StopWatchOptions {
  /** The stop strings, none of them empty. */
  readonly strings: readonly string[]
  readonly tokenTable: TokenTable
  readonly encode: (text: string) => readonly number[]
  readonly toolNamed: NonNullable<HarmonyParserOptions['toolNamed']>
  /** Whether a header begins an answer: only answers are searched. */
  readonly isAnswer: (header: HarmonyHeader) => boolean
  /** The state of the translator's parser, so that both read the same messages. */
  readonly parser: ParserSnapshot
  /** The open answer, as far as it has been put; undefined if there is none. */
  readonly begun: string | undefined
}

/** The result of a watch for the tokens that it was given. */
export interface Watched {
  /** The tokens that certainly precede any stop string. */
  readonly certain: readonly HarmonyToken[]
  /** At a stop string: the tokens that replace the held ones, up to the end of the turn. */
  readonly cut?: readonly number[]
  /** The stop string that was found. */
  readonly string?: string
}

/** A token that is held back. */
interface Held {
  readonly token: HarmonyToken
  /** Where its text ends in the text of the answer. Negative in a header that turned out to be text. */
  end: number
  /** Whether it ends inside a character. */
  isHalf: boolean
}

/** An apparent header of an answer that turned into its text. */
interface Unclosed {
  /** The text of the held tokens, and where the answer's text begins in it. */
  readonly text: string
  readonly start: number
  /** How many of them there were when the answer turned out to have begun. */
  readonly count: number
}

const SEGMENTS: readonly number[] = [SPECIAL.start, SPECIAL.channel, SPECIAL.constrain]

/**
 * Finds stop strings in the answers of a model call, and holds tokens back until they certainly precede any. It parses
 * like the translator, so that it searches exactly the text that the client sees, even after a malformed header.
 */
export class StopWatch implements HarmonyHandler {
  readonly #options: StopWatchOptions
  readonly #parser: HarmonyParser
  readonly #held: Held[] = []
  /** The search of the open answer; undefined outside answers. */
  #search: StopSearch | undefined
  /** The answer's length; the length of the part that was put; and the rest. */
  #length = 0
  #put = 0
  #rest = ''
  #hasBegun = false
  /** Whether text without a channel was put as reasoning before the last token. */
  #wasShown = false
  /** How many tokens were held when text without a channel ended, which later ones decide. */
  #undecidedCount: number | undefined
  /** How many of the held tokens the open answer may have; undefined if it may have all. */
  #count: number | undefined
  /** Whether an answer with a stop string has ended: what follows it is dropped. */
  #isOver = false
  #unclosed: Unclosed | undefined

  constructor(options: StopWatchOptions) {
    const { tokenTable, toolNamed, parser, begun } = options
    this.#options = options
    this.#parser = createNativeParser({ tokenTable, toolNamed }, this, parser)
    if (this.#parser.undecided === 'ended') this.#undecidedCount = 0
    if (begun === undefined) return
    this.#search = new StopSearch(options.strings)
    this.messageText(begun)
    this.#put = begun.length
    this.#rest = ''
  }

  /** Takes the model's next token. No token may follow a cut. */
  push(token: HarmonyToken): Watched {
    const id = typeof token === 'number' ? token : token.id
    this.#observe()
    this.#parser.push(id, 'model')
    this.#held.push({ token, end: this.#length, isHalf: this.#parser.isHolding })
    if (this.#parser.undecided === 'ended') this.#undecidedCount ??= this.#held.length
    if (this.#hasBegun) this.#place(this.#held.length)
    return this.#watched(SEGMENTS.includes(id))
  }

  /**
   * Ends the model's output.
   *
   * @param isCut - whether it was interrupted
   */
  end(isCut: boolean): Watched {
    this.#observe()
    this.#parser.end(isCut)
    if (this.#hasBegun) this.#place(this.#held.length + 1)
    return this.#watched(true)
  }

  /** Returns all held tokens: the call has ended, and the turn continues with another one. */
  release(): readonly HarmonyToken[] {
    return this.#take(this.#held.length)
  }

  messageStart(header: HarmonyHeader): void {
    if (this.#isOver) return
    // The first message after that text is the text itself.
    this.#count = this.#undecidedCount
    this.#undecidedCount = undefined
    // Text that was put as reasoning, and is repeated as the answer, can no longer be cut.
    const isRepeated = this.#wasShown && header.channel === undefined
    const isSearched = this.#options.isAnswer(header) && !isRepeated
    this.#search = isSearched ? new StopSearch(this.#options.strings) : undefined
    this.#hasBegun = this.#search !== undefined
    this.#length = 0
    this.#put = 0
    this.#rest = ''
    this.#unclosed = undefined
  }

  messageText(text: string): void {
    if (this.#search === undefined || this.#isOver) return
    this.#search.push(text)
    this.#length += text.length
    this.#rest += text
  }

  messageEnd(): void {
    this.#search?.end()
    this.#isOver = this.#search?.found !== undefined
    if (!this.#isOver) this.#search = undefined
  }

  repair(): void {}

  #observe(): void {
    this.#hasBegun = false
    this.#wasShown = this.#parser.undecided === 'shown'
  }

  /** @param isSettled - whether an open header can no longer turn out to be the text of an answer */
  #watched(isSettled: boolean): Watched {
    const search = this.#search
    if (search?.found !== undefined) return this.#cut(search.found)
    if (search !== undefined) return { certain: this.#take(this.#countUpTo(search.certain)) }
    const { position, isHolding, undecided } = this.#parser
    // Text without a channel may be an answer: it is searched once that is certain.
    if (undecided === 'open' || undecided === 'ended') return { certain: [] }
    // Between messages, half a character may begin a header.
    const isOpen = !isSettled && (position === 'header' || (position === 'between' && isHolding))
    return { certain: isOpen ? [] : this.release() }
  }

  /**
   * Handles the beginning of an answer: finds where in it the tokens of its apparent header end. They are those after
   * the last marker, and the last of them may hold more of the text.
   */
  #place(count: number): void {
    const { tokenTable } = this.#options
    const detokenizer = createDetokenizer(tokenTable)
    let text = ''
    let length = this.#count === 0 ? 0 : undefined
    const ends = this.#held.map(({ token }, at) => {
      const id = typeof token === 'number' ? token : token.id
      text += id < FIRST_SPECIAL ? detokenizer.push(id) : detokenizer.flush()
      // The header of the next message may have decided what this text is, and is not a part of it.
      if (at + 1 === this.#count) length = text.length
      return { end: text.length, isHalf: detokenizer.carried().length > 0 }
    })
    text += detokenizer.flush()
    const start = (length ?? text.length) - this.#length
    for (const [at, held] of this.#held.entries()) {
      const { end, isHalf } = ends[at] as (typeof ends)[number]
      held.end = end - start
      held.isHalf = isHalf
    }
    if (this.#length === 0) return
    const header = this.#held.findLast(({ end }) => end <= 0)?.token
    const isClosed = (typeof header === 'number' ? header : header?.id) === SPECIAL.message
    if (!isClosed) this.#unclosed = { text, start, count }
    // An earlier call may have put a part of them.
    this.#put = Math.max(0, -start)
    this.#rest = this.#rest.slice(this.#put)
  }

  /** Returns how many of the held tokens end before a place, and with a complete character. */
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

  /** The remains of a header that turned out to be text have to end like a header. */
  #cutUnclosed(place: number, { text, start }: Unclosed): Watched {
    const { encode } = this.#options
    const header = this.#held.splice(0, this.#held.findLastIndex(({ end, isHalf }) => end <= 0 && !isHalf) + 1)
    const written = start + (header.at(-1)?.end ?? -start)
    // An earlier call may have put some of the answer: its header then stays as it is.
    const rest = start < 0 ? [] : [...encode(text.slice(written, start)), SPECIAL.message]
    const cut = [...rest, ...encode(this.#before(place)), SPECIAL.return]
    return { certain: header.map(({ token }) => token), cut }
  }

  /** Returns the text before a place that has not been put yet. */
  #before(place: number): string {
    return this.#rest.slice(0, Math.max(0, place - this.#put))
  }
}
