import { createHarmonyParser } from '../../core/harmony/event-parser.js'
import type { HarmonyEvent, HarmonyMessage } from '../../core/harmony/events.js'
import type { ToolLookup } from '../../core/harmony/header-words.js'
import { TERMINATORS } from '../../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../../core/harmony/vocabulary.js'
import { toolNamed } from '../../core/recipients/declared-tools.js'
import type { RequestTools } from '../../core/recipients/request-tools.js'
import { createDetokenizer } from '../../core/tokens/detokenizer.js'
import { encoderOf } from '../../core/tokens/encoder.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'

/** A message of an earlier response, with the ids that the model sampled or the host wrote. */
export interface TranscriptMessage {
  readonly message: HarmonyMessage
  /** The ids from `<|start|>` to the terminator. */
  readonly tokens: readonly number[]
  /** The index in the transcript after its terminator. */
  readonly end: number
  /**
   * Whether the parser had to repair it: the next prompt must not repeat the malformed ids, so the item is rendered.
   */
  readonly isRepaired: boolean
}

/** The place of a message: its transcript, and its index there. */
export interface Place {
  readonly transcript: number
  readonly index: number
}

const HEADER_MARKERS: readonly number[] = [SPECIAL.channel, SPECIAL.constrain]
const BLANK = 0x20

/** The options with which a transcript was read when it was written. */
export interface TranscriptOptions {
  readonly tokenTable: TokenTable
  /** The look-up of the translator's parser, so that a malformed header reads alike. Default: no tool is known. */
  readonly toolNamed?: ToolLookup
  /**
   * Whether it is the rest of a longer one, and so does not begin with the host's `<|start|>assistant`. Default false.
   */
  readonly isRest?: boolean
  /** Whether the part before that rest contains an answer. Default false. */
  readonly hasAnswer?: boolean
}

/** Returns the options with which the translator read transcripts when they were written. */
export function readingOf({ declared }: RequestTools, tokenTable: TokenTable): TranscriptOptions {
  return { tokenTable, toolNamed: (word) => toolNamed(word, declared) }
}

/**
 * Parses the messages of a transcript, in order: the ids after the prompt in the engine's context, with or without the
 * `<|start|>assistant` that begins the first message.
 */
export function readTranscript(transcript: ArrayLike<number>, options: TranscriptOptions): TranscriptMessage[] {
  return atOnce(readTranscriptInSlices(transcript, options, createWork()))
}

/** Does the same in slices. */
export function* readTranscriptInSlices(
  transcript: ArrayLike<number>,
  options: TranscriptOptions,
  work: Work,
): Slices<TranscriptMessage[]> {
  const { tokenTable, isRest = false } = options
  const messages: TranscriptMessage[] = []
  const assistant = encoderOf(tokenTable)('assistant')
  // `respond` returns transcripts with the `<|start|>assistant` of their first turn.
  let tokens: number[] = transcript[0] === SPECIAL.start || isRest ? [] : [SPECIAL.start, ...assistant]
  const reader = segmentReader(options)
  /** Whether a message with this id after `<|start|>` is the model's. */
  const isAssistants = (id: number | undefined): boolean => id === assistant[0] || !isRole(id, tokenTable)
  const read = (end: number): void => {
    // A message without a role is the model's: the host never omits it.
    const isRoleless = tokens[0] === SPECIAL.start && !isRole(tokens[1], tokenTable)
    const isModel = tokens[0] !== SPECIAL.start || isAssistants(tokens[1])
    const isPlain = !isRoleless && isWellFormed(tokens)
    const text = isPlain ? textOf(tokens, tokenTable) : undefined
    const next = transcript[end]
    const isNextModels = next !== SPECIAL.start || isAssistants(transcript[end + 1])
    const goesOn = end < transcript.length && isNextModels
    const { parsed, repairs } = reader(text === undefined ? tokens : withoutText(tokens), isModel, goesOn)
    const isRepaired = repairs > 0 || parsed.length !== 1 || !isPlain
    const [message] = parsed
    if (text !== undefined && message !== undefined) message.content = text
    // A history never contains `<|return|>`, which is valid only at the end of the model's last message.
    if (tokens.at(-1) === SPECIAL.return) tokens[tokens.length - 1] = SPECIAL.end
    for (const message of parsed) messages.push({ message, tokens, end, isRepaired })
    tokens = []
  }
  for (let at = 0; at < transcript.length; at++) {
    const id = transcript[at] as number
    // An unterminated message takes no part of the next one with it, such as the result of a call.
    if (id === SPECIAL.start && tokens.includes(SPECIAL.message)) read(at)
    tokens.push(id)
    work.left -= 1
    if (TERMINATORS.includes(id)) {
      read(at + 1)
      if (work.left <= 0) yield* work.pause()
    }
  }
  if (tokens.length > 0) read(transcript.length)
  return messages
}

/** Whether a role may begin with the id after `<|start|>`: a role is followed by a blank or a marker. */
function isRole(id: number | undefined, tokenTable: TokenTable): boolean {
  const [first] = id === undefined ? [] : tokenTable.bytes(id)
  return first !== undefined && first !== BLANK
}

/** Whether it is `<|start|>` header `<|message|>` text terminator, with no other marker than a header's. */
function isWellFormed(tokens: readonly number[]): boolean {
  const text = tokens.indexOf(SPECIAL.message)
  if (tokens[0] !== SPECIAL.start || text === -1) return false
  const isText = (id: number): boolean => id < FIRST_SPECIAL
  return (
    TERMINATORS.includes(tokens.at(-1) as number) &&
    tokens.slice(1, text).every((id) => isText(id) || HEADER_MARKERS.includes(id)) &&
    tokens.slice(text + 1, -1).every(isText)
  )
}

/**
 * Decodes the text of a well-formed message, as the parser would token by token in three times the time.
 *
 * @returns undefined if the parser would drop something: an id that is no token
 */
function textOf(tokens: readonly number[], tokenTable: TokenTable): string | undefined {
  const text = createDetokenizer(tokenTable)
  const parts: string[] = []
  for (let at = tokens.indexOf(SPECIAL.message) + 1; at < tokens.length - 1; at++) {
    const id = tokens[at] as number
    if (id >= tokenTable.size) return undefined
    parts.push(text.push(id))
  }
  // Joined at once: a text that was concatenated token by token takes three times as long to look up.
  return parts.join('') + text.flush()
}

/** Returns its header and its terminator. */
function withoutText(tokens: readonly number[]): readonly number[] {
  return [...tokens.slice(0, tokens.indexOf(SPECIAL.message) + 1), tokens.at(-1) as number]
}

/** Reads the tokens up to a terminator: their message, and how often the parser had to repair it. */
type SegmentReader = (
  tokens: readonly number[],
  isModel: boolean,
  goesOn: boolean,
) => { readonly parsed: readonly HarmonyMessage[]; readonly repairs: number }

/** Creates one parser for all segments, since a malformed message is read depending on those before it. */
function segmentReader({ tokenTable, toolNamed, hasAnswer = false }: TranscriptOptions): SegmentReader {
  let parsed: HarmonyMessage[] = []
  let repairs = 0
  const sink = (event: HarmonyEvent): void => {
    const message = parsed.at(-1)
    if (event.type === 'message_start') parsed.push({ ...event.header, content: '' })
    else if (event.type === 'message_text' && message !== undefined) message.content += event.text
    else if (event.type === 'repair') repairs += 1
  }
  const options = { tokenTable, role: null, ...(toolNamed && { toolNamed }) }
  const start = createHarmonyParser(options, sink).snapshot()
  const parser = createHarmonyParser(options, sink, { ...start, undecided: { message: null, hasAnswer } })
  return (tokens, isModel, goesOn) => {
    parsed = []
    repairs = 0
    const isBegun = tokens[0] === SPECIAL.start
    // The host began the model's message, as it did when the model wrote it.
    if (isModel && isBegun) parser.beginTurn()
    const segmentTokens = isModel && isBegun ? tokens.slice(isRole(tokens[1], tokenTable) ? 2 : 1) : tokens
    for (const id of segmentTokens) parser.push(id, isModel ? 'model' : 'host')
    const ended = segmentTokens.at(-1)
    const isOpen = ended === undefined || !TERMINATORS.includes(ended)
    // Text without a channel is the answer only if the model's turn ends with it.
    if (isOpen || parser.undecided !== undefined) parser.end(goesOn)
    return { parsed, repairs }
  }
}
