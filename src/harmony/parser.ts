import { check } from '../errors.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import type { TokenTable } from '../tokens/token-table.js'
import { type HarmonyEvent, type Origin, type RepairCode, repair, type Terminator } from './events.js'
import {
  addHeaderMarker,
  addHeaderText,
  finishHeaderText,
  type HeaderDraft,
  lastText,
  type Opening,
  openHeader,
  type ToolLookup,
  wordsOf,
} from './header.js'
import { createMessageWriter, type MessageState } from './message-writer.js'
import { type SettledHeader, settleMessage, settleUnclosed } from './settle-header.js'
import { createMarkerLexer } from './text-input.js'
import { FIRST_SPECIAL, specialNames, VOCABULARY_SIZE } from './vocabulary.js'

/** Where in the stream a parser stands: between messages, in a header, or in a message's content. */
export type ParserPosition = 'between' | 'header' | 'content'

/**
 * What turns Harmony into {@link HarmonyEvent}s. The native parser and the adapter around the official one share it.
 * Events go to the sink that the parser was made with, before the call returns.
 */
export interface HarmonyParser {
  readonly position: ParserPosition
  /** Whether something came that is not told yet: part of a character, or of what may be a marker. */
  readonly isHolding: boolean
  /** Takes one token id: a whole number from 0. Ids outside the vocabulary are dropped with a repair. */
  push(id: number, origin: Origin): void
  /**
   * A shortcut for the commonest token of all, ordinary text in the middle of the model's message: takes it, and gives its
   * text instead of telling it. `undefined`, and nothing is taken, where there is more to it; then `push` it.
   */
  plain?(id: number): string | undefined
  /** Takes text in which special tokens are spelled as `<|markers|>`, cut anywhere. */
  pushText(text: string, origin: Origin): void
  /** Tells what is held back, as it is: a half character as U+FFFD, a half marker as text. */
  flush(): void
  /** The model is called (again): an open message ends, and an assistant header is implied. */
  beginTurn(): void
  /**
   * The stream is over: an open message ends. Returns where the model stood: `between` also in a header or a
   * prefilled message of which it has sampled nothing. (Every turn begins in a header.)
   */
  end(): ParserPosition
  /** The whole state as plain JSON data. */
  snapshot(): ParserSnapshot
}

/** The state of the native parser. Plain JSON; opaque to everybody else. */
export interface ParserSnapshot {
  readonly mode: ParserPosition
  readonly draft: HeaderDraft
  readonly message: MessageState
  readonly origin: Origin
  readonly returned: boolean
  readonly finalSeen: boolean
  /** Bytes of a character that is not complete yet. */
  readonly carried: readonly number[]
  /** Text that may still become a marker. */
  readonly held: string
}

export interface HarmonyParserOptions {
  /** Needed as soon as ordinary token ids are pushed; text input does without. */
  readonly tokenTable?: TokenTable | undefined
  /**
   * The role that the prompt ended in. Default `assistant`: the prompt ended in `<|start|>assistant`, so the stream
   * begins inside a header. `null`: nothing is implied, the stream begins with `<|start|>`.
   */
  readonly role?: 'assistant' | null
  /** Recognises bare names of the request's tools in malformed headers. */
  readonly toolNamed?: ToolLookup
}

/**
 * The native Harmony parser. It never throws on what a model writes: what is malformed is repaired and told.
 *
 * @param sink - takes the events, in order
 * @param snapshot - continues exactly where `snapshot()` was taken
 * @throws HarmonyResponsesError `token_table_missing` from `push`, where an ordinary id comes and no table was given
 */
export function createHarmonyParser(
  options: HarmonyParserOptions,
  sink: (event: HarmonyEvent) => void,
  snapshot?: ParserSnapshot,
): HarmonyParser {
  let {
    mode = options.role === null ? 'between' : 'header',
    draft = openHeader('turn'),
    // Who wrote the run of tokens we are in. A character or a marker never spans two origins.
    origin = 'model',
    // Set by `<|return|>` until the next token of the model, which is told once.
    returned = false,
    finalSeen = false,
    message: open,
    carried,
    held = '',
  }: Partial<ParserSnapshot> = structuredClone(snapshot ?? {})
  /** Whether the lexer, not the detokenizer, may hold something back. */
  let isText = held !== ''
  /** Whether the last id was the model's, and its message goes on: then ordinary text is text, and nothing else. */
  let isInside = false
  const tools = options.toolNamed
  const detokenizer = createDetokenizer(
    options.tokenTable ?? { size: 0, text: missingTable, bytes: missingTable },
    carried,
  )
  const lexer = createMarkerLexer({ text: takeText, marker: takeMarker }, held)
  const message = createMessageWriter(sink, open)

  return {
    get position() {
      return mode
    },

    get isHolding() {
      return detokenizer.carried().length > 0 || lexer.held() !== ''
    },

    push(id, by) {
      enterRun(by, false)
      if (id < FIRST_SPECIAL) takeText(detokenizer.push(id))
      else {
        flush()
        takeMarker(id)
      }
      isInside = by === 'model' && mode === 'content' && message.isTold
    },

    plain: (id) => (isInside ? detokenizer.plain(id) : undefined),

    pushText(text, by) {
      isInside = false
      enterRun(by, true)
      lexer.push(text)
    },

    flush,

    beginTurn() {
      isInside = false
      finish()
      openDraft('turn')
      returned = false
      origin = 'model'
    },

    end() {
      isInside = false
      flush()
      const isUntouched = mode === 'header' ? !draft.sampled : !message.isTold
      const position = isUntouched ? 'between' : mode
      finish()
      return position
    },

    snapshot() {
      return structuredClone({
        mode,
        draft,
        message: message.state(),
        origin,
        returned,
        finalSeen,
        carried: detokenizer.carried(),
        held: lexer.held(),
      })
    },
  }

  /** What was held back belongs to the run it came in: a character is not completed across origins or input forms. */
  function enterRun(by: Origin, text: boolean): void {
    if (by === origin && text === isText) return
    flush()
    origin = by
    isText = text
    if (by === 'host') returned = false
  }

  function flush(): void {
    lexer.flush()
    takeText(detokenizer.flush())
  }

  function takeText(text: string): void {
    if (text === '') return
    if (returned) tellAfterReturn()
    if (mode === 'content') message.text(text, origin)
    else {
      goOnWithHeader()
      turnIntoProse(addHeaderText(draft, text, tools, origin))
    }
  }

  function takeMarker(id: number): void {
    if (returned) tellAfterReturn()
    const name = specialNames.get(id)
    if (name === undefined || name === 'startoftext') {
      tell(id < VOCABULARY_SIZE ? 'reserved_token' : 'unknown_token')
      return
    }
    if (name === 'endoftext') tell('end_of_text')
    finishWord()
    switch (name) {
      case 'start':
        // A host that goes on with the transcript ends the message for engines that swallow the stop token.
        if (mode === 'content' && origin === 'model') tell('missing_end')
        endMessage('implicit')
        openDraft('start')
        goOnWithHeader()
        break
      case 'channel':
      case 'constrain':
      case 'message':
        if (mode === 'content' && name !== 'channel') tell('stray_marker')
        else {
          if (mode === 'content') {
            tell('missing_end')
            endMessage('implicit')
          }
          goOnWithHeader()
          if (name === 'message') beginMessage(settleMessage(draft, origin, finalSeen))
          else addHeaderMarker(draft, name)
        }
        break
      default:
        if (mode === 'between' && name !== 'endoftext') tell('stray_terminator')
        endMessage(name)
        returned = name === 'return'
    }
  }

  function openDraft(opening: Opening): void {
    mode = 'header'
    draft = openHeader(opening)
  }

  /** Something of a header comes: of the open one, or of one without `<|start|>`. */
  function goOnWithHeader(): void {
    if (mode === 'between') openDraft('implied')
    draft.sampled ||= origin === 'model'
  }

  /** A marker, or the end, finishes the word before it, and that may have been one word of prose too many. */
  function finishWord(): void {
    if (mode === 'header') turnIntoProse(finishHeaderText(draft, tools, origin))
  }

  /** Begins the message where its header has turned into text. */
  function turnIntoProse(at: number | undefined): void {
    if (at !== undefined) beginMessage(settleUnclosed(draft, origin, at))
  }

  function beginMessage({ header, lead, repairs }: SettledHeader): void {
    for (const told of repairs) sink({ type: 'repair', repair: told })
    if (header === undefined) return
    mode = 'content'
    const { channel = 'final' } = header
    if (channel === 'final' && header.role === 'assistant' && header.recipient === undefined) finalSeen = true
    message.begin(header, origin)
    if (lead !== '') message.text(lead, origin)
  }

  /** Ends what stands open: a message, or a header, which may turn out to be a message after all. */
  function endMessage(terminator: Terminator): void {
    if (mode === 'header' && !isForgotten(terminator)) {
      beginMessage(settleUnclosed(draft, origin, lastText(draft), terminator))
    }
    if (mode === 'content') message.end(terminator, origin)
    mode = 'between'
  }

  /** What the host began and nobody went on with is no loss: a fresh turn, <|start|>assistant behind a tool result. */
  function isForgotten(terminator: Terminator): boolean {
    if (draft.sampled) return false
    return terminator === 'turn' || (origin === 'host' && wordsOf(draft).every(({ kind }) => kind === 'role'))
  }

  /** The turn is over, whatever stands open. */
  function finish(): void {
    flush()
    finishWord()
    endMessage('turn')
  }

  function tellAfterReturn(): void {
    returned = false
    if (origin === 'model') tell('tokens_after_return')
  }

  function tell(code: RepairCode): void {
    sink({ type: 'repair', repair: repair(code) })
  }
}

function missingTable(): never {
  throw check(false, 'tokenTable', 'await loadTokenTable()', undefined, 'token_table_missing')
}
