import { check } from '../errors.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import type { TokenTable } from '../tokens/token-table.js'
import { type HarmonyEvent, type Origin, type RepairCode, repair, type Terminator } from './events.js'
import {
  addHeaderMarker,
  addHeaderText,
  finishHeaderText,
  type HeaderDraft,
  isEmptyHeader,
  openHeader,
  type TextStart,
  type ToolLookup,
} from './header.js'
import { createMessageWriter, type MessageState } from './message-writer.js'
import { type HeaderEnding, type SettledHeader, settleMessage, settleProse, settleUnclosed } from './settle-header.js'
import { createMarkerLexer } from './text-input.js'
import { FIRST_SPECIAL, SPECIAL, VOCABULARY_SIZE } from './vocabulary.js'

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
  readonly mode: 'between' | 'header' | 'content'
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
  const tools: ToolLookup = options.toolNamed ?? (() => undefined)
  const detokenizer = createDetokenizer(options.tokenTable ?? noTable, snapshot?.carried)
  const lexer = createMarkerLexer({ text: takeText, marker: takeMarker }, snapshot?.held)
  const message = createMessageWriter(sink, snapshot?.message)

  let mode: ParserSnapshot['mode'] = snapshot?.mode ?? (options.role === null ? 'between' : 'header')
  let draft: HeaderDraft = snapshot ? structuredClone(snapshot.draft) : openHeader('turn')
  /** Who wrote the run of tokens we are in. A character or a marker never spans two origins. */
  let origin: Origin = snapshot?.origin ?? 'model'
  /** Set by `<|return|>` until the next token of the model, which is told once. */
  let returned = snapshot?.returned ?? false
  let finalSeen = snapshot?.finalSeen ?? false
  /** Whether the lexer, not the detokenizer, may hold something back. */
  let isText = (snapshot?.held ?? '') !== ''

  return {
    get position() {
      return mode
    },

    get isHolding() {
      return detokenizer.carried().length > 0 || lexer.held() !== ''
    },

    push(id, by) {
      if (isText || by !== origin) enterRun(by, false)
      if (id < FIRST_SPECIAL) {
        const text = detokenizer.push(id)
        if (text !== '') takeText(text)
      } else {
        flushRun()
        takeMarker(id)
      }
    },

    pushText(text, by) {
      if (!isText || by !== origin) enterRun(by, true)
      lexer.push(text)
    },

    flush: flushRun,

    beginTurn() {
      finish()
      mode = 'header'
      draft = openHeader('turn')
      returned = false
      origin = 'model'
    },

    end() {
      flushRun()
      const isUntouched = mode === 'header' ? !draft.sampled : !message.isTold
      const position = isUntouched ? 'between' : mode
      finish()
      return position
    },

    snapshot() {
      return {
        mode,
        draft: structuredClone(draft),
        message: message.state(),
        origin,
        returned,
        finalSeen,
        carried: detokenizer.carried(),
        held: lexer.held(),
      }
    },
  }

  /** What was held back belongs to the run it came in: a character is not completed across origins or input forms. */
  function enterRun(by: Origin, text: boolean): void {
    flushRun()
    origin = by
    isText = text
    if (by === 'host') returned = false
  }

  function flushRun(): void {
    if (isText) lexer.flush()
    const rest = detokenizer.flush()
    if (rest !== '') takeText(rest)
  }

  function takeText(text: string): void {
    if (returned) tellAfterReturn()
    if (mode === 'content') message.text(text, origin)
    else {
      if (mode === 'between') openDraft('implied')
      writeHeader(text)
    }
  }

  function takeMarker(id: number): void {
    if (returned) tellAfterReturn()
    switch (id) {
      case SPECIAL.start:
        if (mode === 'content') {
          // A host that goes on with the transcript ends the message for engines that swallow the stop token.
          if (origin === 'model') tell('missing_end')
          endMessage('implicit')
        } else if (mode === 'header') settle('start')
        openDraft('start')
        break
      case SPECIAL.channel:
        takeSegment('channel')
        break
      case SPECIAL.constrain:
        takeSegment('constrain')
        break
      case SPECIAL.message:
        takeMessageMarker()
        break
      case SPECIAL.end:
        stop('end')
        break
      case SPECIAL.call:
        stop('call')
        break
      case SPECIAL.return:
        stop('return')
        returned = true
        break
      case SPECIAL.endoftext:
        tell('end_of_text')
        stop('endoftext')
        break
      default:
        tell(id < VOCABULARY_SIZE ? 'reserved_token' : 'unknown_token')
    }
  }

  function takeSegment(marker: 'channel' | 'constrain'): void {
    if (mode === 'header' && !turnsIntoProse(finishHeaderText(draft, tools, origin === 'host'))) {
      draft.sampled ||= origin === 'model'
      addHeaderMarker(draft, marker)
    } else if (mode === 'content' && marker === 'constrain') tell('stray_marker')
    else {
      if (mode === 'content') {
        tell('missing_end')
        endMessage('implicit')
      }
      openDraft('implied')
      addHeaderMarker(draft, marker)
    }
  }

  function takeMessageMarker(): void {
    if (mode === 'content') tell('stray_marker')
    else {
      if (mode === 'between') openDraft('implied')
      draft.sampled ||= origin === 'model'
      settle('message')
    }
  }

  function stop(terminator: 'end' | 'call' | 'return' | 'endoftext'): void {
    if (mode === 'content') endMessage(terminator)
    else if (mode === 'header') {
      draft.sampled ||= origin === 'model'
      settle(terminator === 'call' ? 'call' : 'stop', terminator)
    } else if (terminator !== 'endoftext') tell('stray_terminator')
  }

  function openDraft(opening: 'start' | 'implied'): void {
    mode = 'header'
    draft = openHeader(opening)
    draft.sampled = origin === 'model'
  }

  function writeHeader(text: string): void {
    draft.sampled ||= origin === 'model'
    turnsIntoProse(addHeaderText(draft, text, tools, origin === 'host'))
  }

  /** Begins the message where its header has turned into text. */
  function turnsIntoProse(text: TextStart | undefined): boolean {
    if (text === undefined) return false
    beginMessage(settleProse(draft, text, { finalSeen, isHost: origin === 'host' }))
    return true
  }

  /** Decides what the header says, now that something ended it. */
  function settle(ending: HeaderEnding, terminator: Terminator = 'implicit'): void {
    const context = { finalSeen, isHost: origin === 'host' }
    if (turnsIntoProse(finishHeaderText(draft, tools, origin === 'host'))) {
      if (ending === 'message') tell('stray_marker')
      else {
        if (ending === 'start') tell('missing_end')
        endMessage(terminator)
      }
    } else if (ending === 'message') beginMessage(settleMessage(draft, context))
    else if (!draft.sampled && (ending === 'turn' || (origin === 'host' && isQuiet(draft)))) {
      // What the host began and nobody went on with is no loss: a fresh turn, <|start|>assistant behind a tool result.
      mode = 'between'
    } else {
      beginMessage(settleUnclosed(draft, ending, context))
      if (mode === 'content') endMessage(terminator)
    }
  }

  function beginMessage(settled: SettledHeader): void {
    for (const told of settled.repairs) sink({ type: 'repair', repair: told })
    if (settled.header === undefined) {
      mode = 'between'
      return
    }
    const { header } = settled
    mode = 'content'
    const isAnswer = header.channel === 'final' || header.channel === undefined
    if (isAnswer && header.role === 'assistant' && header.recipient === undefined) finalSeen = true
    message.begin(header, origin)
    if (settled.lead !== '') message.text(settled.lead, origin)
  }

  function endMessage(terminator: Terminator): void {
    message.end(terminator, origin)
    mode = 'between'
  }

  /** The turn is over, whatever stands open. */
  function finish(): void {
    flushRun()
    if (mode === 'header') settle('turn', 'turn')
    if (mode === 'content') endMessage('turn')
  }

  function tellAfterReturn(): void {
    returned = false
    if (origin === 'model') tell('tokens_after_return')
  }

  function tell(code: RepairCode, text?: string): void {
    sink({ type: 'repair', repair: repair(code, text) })
  }
}

/** Whether a header says nothing yet: empty, or a role alone. */
function isQuiet(draft: HeaderDraft): boolean {
  return isEmptyHeader(draft) || draft.words.every((word) => word.kind === 'role')
}

const noTable: TokenTable = { size: 0, text: missingTable, bytes: missingTable }

function missingTable(): never {
  throw check(false, 'tokenTable', 'await loadTokenTable()', undefined, 'token_table_missing')
}
