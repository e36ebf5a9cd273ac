import { check } from '../../shared/errors.js'
import { createDetokenizer, type Detokenizer } from '../tokens/detokenizer.js'
import type { TokenTable } from '../tokens/token-table.js'
import { type Origin, type RepairCode, repair, type Terminator } from './events.js'
import type { HarmonyHandler } from './handler.js'
import {
  addHeaderMarker,
  addHeaderText,
  finishHeaderText,
  type HeaderDraft,
  isHostsHeader,
  lastText,
  openHeader,
  wordsOf,
} from './header.js'
import type { Opening, ToolLookup } from './header-words.js'
import { createPrefillFilter, type MessageState, type PrefillFilter } from './prefill-filter.js'
import { type ResolvedHeader, resolveHeader, resolveUnclosed } from './resolve-header.js'
import { createMarkerLexer, type MarkerLexer } from './text-input.js'
import { tokensOf, type Undecided, type UndecidedState, UndecidedText } from './undecided-text.js'
import { FIRST_SPECIAL, specialNames, VOCABULARY_SIZE } from './vocabulary.js'

/** The parser's place in the stream: between messages, in a header, or in a message's content. */
export type ParserPosition = 'between' | 'header' | 'content'

/**
 * Reads Harmony and calls a {@link HarmonyHandler}. Implemented by the native parser and by the adapter around the
 * official one. All calls to the handler happen before the parser's own method returns.
 */
export interface HarmonyParser {
  /** Where the parser stands: between messages, in a header, or in a message's content. */
  readonly position: ParserPosition
  /** Whether input is held back: an incomplete character, or the beginning of a possible marker. */
  readonly isHolding: boolean
  /** Whether text without a channel still has to prove to be reasoning or the answer. Absent in the official parser. */
  readonly undecided?: Undecided | undefined
  /** Takes one token id: a whole number from 0. Ids outside the vocabulary are dropped with a repair. */
  push(id: number, origin: Origin): void
  /** Takes text in which special tokens are spelled as `<|markers|>`, cut anywhere. */
  pushText(text: string, origin: Origin): void
  /** Reports held input unchanged: half a character as U+FFFD, half a marker as text. */
  flush(): void
  /** Begins a turn of the model: ends an open message, and implies an assistant header. */
  beginTurn(): void
  /**
   * Ends the open header or message. Returns where the model stood: `between` also in a header or a prefilled message
   * of which it has sampled nothing. (Every turn begins in a header.)
   *
   * May be called any number of times in one response, also in the middle: a tool's result ends the call that was being
   * written. Input that follows stands between messages until a turn begins.
   *
   * @param isCut - whether the model was interrupted. Default false: it had finished.
   */
  end(isCut?: boolean): ParserPosition
  /** Reports undecided text as reasoning, because the response fails and nothing more will follow. */
  settle?(): void
  /**
   * Frees resources that are not garbage-collected, such as wasm objects. Called at the terminal event and when the
   * consumer leaves a pulled stream, in any state; a second call does nothing. It reports nothing and throws nothing.
   * Afterwards `position`, `isHolding` and `flush` still answer, and a push is ignored.
   */
  close?(): void
  /** The whole state as plain JSON data. */
  snapshot(): ParserSnapshot
}

/** The state of the native parser. Plain JSON, and opaque to all other code. */
export interface ParserSnapshot {
  /** Where the parser stood. */
  readonly mode: ParserPosition
  /** @internal */
  readonly draft: HeaderDraft
  /** @internal */
  readonly message: MessageState
  /** @internal */
  readonly undecided: UndecidedState
  /** The author of the last input. */
  readonly origin: Origin
  /** Whether the model has sampled `<|return|>`, and nothing since. */
  readonly returned: boolean
  /** Bytes of an incomplete character. */
  readonly carried: readonly number[]
  /** Text that may still turn out to be a marker. */
  readonly held: string
}

/** Options of `createHarmonyParser`. */
export interface HarmonyParserOptions {
  /** Required for ordinary token ids; text input needs none. */
  readonly tokenTable?: TokenTable | undefined
  /**
   * The role that the prompt ended in. Default `assistant`: the prompt ended in `<|start|>assistant`, so the stream
   * begins inside a header. `null`: nothing is implied, the stream begins with `<|start|>`.
   */
  readonly role?: 'assistant' | null
  /** Recognises bare names of the request's tools in malformed headers. */
  readonly toolNamed?: ToolLookup
  /**
   * Whether text without a channel is never the answer, but reasoning. Default false: it is the answer if the turn ends
   * with it.
   */
  readonly needsChannel?: boolean
}

/**
 * Creates the native Harmony parser. It never throws because of the model's output: malformed output is repaired and
 * reported.
 *
 * @param snapshot - continues exactly where `snapshot()` was taken
 * @throws HarmonyResponsesError `token_table_missing` from `push` of an ordinary id if no table was given
 */
export function createNativeParser(
  options: HarmonyParserOptions,
  handler: HarmonyHandler,
  snapshot?: ParserSnapshot,
): HarmonyParser {
  return new NativeParser(options, handler, snapshot)
}

// A class, because a server has one for each open stream, and closures would take more memory.
class NativeParser implements HarmonyParser {
  readonly #handler: HarmonyHandler
  readonly #tools: ToolLookup | undefined
  readonly #detokenizer: Detokenizer
  readonly #message: PrefillFilter
  readonly #undecided: UndecidedText
  /** For text input; created at the first text. */
  #lexer: MarkerLexer | undefined
  #mode: ParserPosition
  #draft: HeaderDraft
  /** The author of the current run of tokens. A character or a marker never spans two origins. */
  #origin: Origin
  /** Set by `<|return|>` until the model's next token, which is reported once. */
  #returned: boolean
  /** Whether the lexer, not the detokenizer, may be holding input back. */
  #isText: boolean

  constructor(options: HarmonyParserOptions, handler: HarmonyHandler, snapshot?: ParserSnapshot) {
    const {
      mode = options.role === null ? 'between' : 'header',
      draft = openHeader('turn'),
      origin = 'model',
      returned = false,
      message,
      undecided,
      carried,
      held = '',
    }: Partial<ParserSnapshot> = snapshot === undefined ? {} : structuredClone(snapshot)
    this.#handler = handler
    this.#tools = options.toolNamed
    this.#detokenizer = createDetokenizer(options.tokenTable ?? NO_TABLE, carried)
    this.#undecided = new UndecidedText(handler, options.needsChannel, undecided)
    this.#message = createPrefillFilter(this.#undecided, message)
    this.#mode = mode
    this.#draft = draft
    this.#origin = origin
    this.#returned = returned
    this.#isText = held !== ''
    if (this.#isText) this.#lexer = this.#makeLexer(held)
  }

  get position(): ParserPosition {
    return this.#mode
  }

  get isHolding(): boolean {
    return this.#detokenizer.carried().length > 0 || (this.#lexer?.held() ?? '') !== ''
  }

  get undecided(): Undecided | undefined {
    return this.#undecided.undecided
  }

  push(id: number, by: Origin): void {
    this.#enterRun(by, false)
    if (by === 'model') this.#undecided.count(1)
    if (id < FIRST_SPECIAL) this.#takeText(this.#detokenizer.next(id))
    else {
      this.flush()
      this.#takeMarker(id)
    }
  }

  pushText(text: string, by: Origin): void {
    if (text === '') return
    this.#enterRun(by, true)
    this.#lexer ??= this.#makeLexer('')
    this.#lexer.push(text)
  }

  flush(): void {
    this.#lexer?.flush()
    this.#takeText(this.#detokenizer.flush() || undefined)
  }

  beginTurn(): void {
    this.#finish()
    this.#undecided.endTurn(false)
    this.#openDraft('turn')
    this.#returned = false
    this.#origin = 'model'
  }

  end(isCut?: boolean): ParserPosition {
    this.flush()
    const isUntouched = this.#mode === 'header' ? !this.#draft.sampled : !this.#message.isAnnounced
    const position = isUntouched ? 'between' : this.#mode
    this.#finish(isCut)
    this.#undecided.endTurn(isCut === true)
    return position
  }

  settle(): void {
    this.#undecided.settle()
  }

  snapshot(): ParserSnapshot {
    return structuredClone({
      mode: this.#mode,
      draft: this.#draft,
      message: this.#message.state(),
      origin: this.#origin,
      returned: this.#returned,
      undecided: this.#undecided.state(),
      carried: this.#detokenizer.carried(),
      held: this.#lexer?.held() ?? '',
    })
  }

  #makeLexer(held: string): MarkerLexer {
    return createMarkerLexer({ text: (text) => this.#takeText(text), marker: (id) => this.#takeMarker(id) }, held)
  }

  /** Flushes at a change of run: a character is not completed across origins or input forms. */
  #enterRun(by: Origin, text: boolean): void {
    if (by === this.#origin && text === this.#isText) return
    this.flush()
    if (by === 'model') this.#endHostMessage()
    this.#origin = by
    this.#isText = text
    if (by === 'host') {
      this.#returned = false
      // The host writes after the model's turn.
      this.#undecided.endTurn(false)
    }
  }

  /**
   * Ends a message that the host began for another author and left open: the model's next samples would become a tool's
   * output. They begin a turn instead.
   */
  #endHostMessage(): void {
    if (this.#message.isFromHost) {
      this.#report('missing_end')
      this.#endMessage('implicit')
    } else if (this.#mode === 'header' && isHostsHeader(this.#draft, this.#tools)) this.#report('dropped_header')
    else return
    this.#openDraft('turn')
    this.#draft.followsHost = true
  }

  #takeText(text: string | undefined): void {
    if (text === undefined) return
    if (this.#returned) this.#reportAfterReturn()
    const tokens = this.#isText ? tokensOf(text) : 1
    if (this.#mode === 'content') {
      if (this.#isText && this.#origin === 'model') this.#undecided.count(tokens)
      this.#message.text(text, this.#origin)
    } else {
      this.#continueHeader()
      this.#draft.tokens = (this.#draft.tokens ?? 0) + tokens
      this.#turnIntoProse(addHeaderText(this.#draft, text, this.#tools, this.#origin))
    }
  }

  #takeMarker(id: number): void {
    if (this.#returned) this.#reportAfterReturn()
    const name = specialNames.get(id)
    if (name === undefined || name === 'startoftext') {
      this.#report(id < VOCABULARY_SIZE ? 'reserved_token' : 'unknown_token')
      return
    }
    if (name === 'endoftext') this.#report('end_of_text')
    this.#finishWord()
    switch (name) {
      case 'start':
        // For engines that swallow the stop token, a host that continues the transcript ends the message.
        if (this.#mode === 'content' && this.#origin === 'model') this.#report('missing_end')
        this.#endMessage('implicit')
        this.#openDraft('start')
        this.#continueHeader()
        break
      case 'channel':
      case 'constrain':
      case 'message':
        if (this.#mode === 'content' && name !== 'channel') this.#report('stray_marker')
        else {
          if (this.#mode === 'content') {
            this.#report('missing_end')
            this.#endMessage('implicit')
          }
          this.#continueHeader()
          if (name === 'message')
            this.#beginMessage(resolveHeader(this.#draft, this.#origin, this.#undecided.hasAnswer))
          else addHeaderMarker(this.#draft, name)
        }
        break
      default:
        if (this.#mode === 'between' && name !== 'endoftext') this.#report('stray_terminator')
        this.#endMessage(name)
        // A turn may also end in a second stop token: <|end|><|return|>.
        if (name !== 'end') this.#undecided.endTurn(false)
        this.#returned = name === 'return'
    }
  }

  #openDraft(opening: Opening): void {
    this.#mode = 'header'
    this.#draft = openHeader(opening)
  }

  /** Continues the open header, or opens one without `<|start|>`. */
  #continueHeader(): void {
    if (this.#mode === 'between') this.#openDraft('implied')
    this.#draft.sampled ||= this.#origin === 'model'
  }

  /** Finishes the word before a marker or the end. That word may prove that the header is prose. */
  #finishWord(): void {
    if (this.#mode === 'header') this.#turnIntoProse(finishHeaderText(this.#draft, this.#tools, this.#origin))
  }

  /** Begins the message where its header has turned into text. */
  #turnIntoProse(at: number | undefined): void {
    if (at !== undefined) this.#beginMessage(resolveUnclosed(this.#draft, this.#origin, at))
  }

  #beginMessage({ header, lead, repairs }: ResolvedHeader): void {
    for (const repair of repairs) this.#handler.repair(repair)
    if (header === undefined) return
    this.#mode = 'content'
    const { tokens = 0 } = this.#draft
    // Released, because it is not read again and would stay in memory as long as the message.
    this.#draft = NO_HEADER
    this.#message.begin(header, this.#origin)
    if (lead === '') return
    this.#undecided.count(tokens)
    this.#message.text(lead, this.#origin, true)
  }

  /** Ends an open message, or an open header, which may turn out to be a message after all. */
  #endMessage(terminator: Terminator, isCut?: boolean): void {
    if (this.#mode === 'header' && !this.#isForgotten(terminator)) {
      const isCall = terminator === 'call' || terminator === 'turn'
      this.#beginMessage(resolveUnclosed(this.#draft, this.#origin, lastText(this.#draft, isCall), terminator))
    }
    if (this.#mode === 'content') this.#message.end(terminator, this.#origin, isCut)
    this.#mode = 'between'
  }

  /** Whether a header can be dropped in silence: the host began it, and the model wrote none of it. */
  #isForgotten(terminator: Terminator): boolean {
    if (this.#draft.sampled) return false
    if (terminator === 'turn' || this.#draft.followsHost) return true
    return this.#origin === 'host' && wordsOf(this.#draft).every(({ kind }) => kind === 'role')
  }

  /** Ends the turn, including anything open. */
  #finish(isCut?: boolean): void {
    this.flush()
    this.#finishWord()
    this.#endMessage('turn', isCut)
  }

  #reportAfterReturn(): void {
    this.#returned = false
    if (this.#origin === 'model') this.#report('tokens_after_return')
  }

  #report(code: RepairCode): void {
    this.#handler.repair(repair(code))
  }
}

/** Never mutated: `#continueHeader` opens another. */
const NO_HEADER: HeaderDraft = openHeader('turn')

const NO_TABLE: TokenTable = { size: 0, text: missingTable, bytes: missingTable }

function missingTable(): never {
  throw check(false, 'tokenTable', 'await loadTokenTable()', undefined, 'token_table_missing')
}
