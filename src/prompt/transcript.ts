import { createHarmonyParser } from '../harmony/event-parser.js'
import type { HarmonyMessage } from '../harmony/events.js'
import { FIRST_SPECIAL, SPECIAL } from '../harmony/vocabulary.js'
import { atOnce, createWork, type Slices, type Work } from '../slices.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'

/** A message of an earlier response, with the ids that the model sampled or the host wrote. */
export interface TranscriptMessage {
  readonly message: HarmonyMessage
  /** From `<|start|>` to the terminator. */
  readonly tokens: readonly number[]
  /** The index in the transcript after its terminator. */
  readonly end: number
  /** Whether the parser had to repair it. In the next prompt it must not look as it did: its item is rendered. */
  readonly isRepaired: boolean
}

const TERMINATORS: readonly number[] = [SPECIAL.end, SPECIAL.call, SPECIAL.return]
const HEADER_MARKERS: readonly number[] = [SPECIAL.channel, SPECIAL.constrain]

/**
 * The messages of a transcript, in order: what followed the prompt in the engine's context, with or without the
 * `<|start|>assistant` that the first message began with.
 */
export function readTranscript(transcript: ArrayLike<number>, tokenTable: TokenTable): TranscriptMessage[] {
  return atOnce(readTranscriptInSlices(transcript, tokenTable, createWork()))
}

/** The same in slices. */
export function* readTranscriptInSlices(
  transcript: ArrayLike<number>,
  tokenTable: TokenTable,
  work: Work,
): Slices<TranscriptMessage[]> {
  const messages: TranscriptMessage[] = []
  const assistant = encoderOf(tokenTable)('assistant')
  // `respond` returns transcripts with the `<|start|>assistant` of their first turn.
  let tokens: number[] = transcript[0] === SPECIAL.start ? [] : [SPECIAL.start, ...assistant]
  let reader: SegmentReader | undefined
  const read = (end: number): void => {
    // A model that leaves its role out is read as the model: the host never does.
    const isRoleless = tokens[0] === SPECIAL.start && (tokens[1] ?? 0) >= FIRST_SPECIAL
    const isModel = tokens[0] !== SPECIAL.start || tokens[1] === assistant[0] || isRoleless
    // What begins without `<|start|>` is read as what stood before it left the parser.
    if (tokens[0] === SPECIAL.start) reader = segmentReader(isModel, tokenTable)
    reader ??= segmentReader(true, tokenTable)
    const isPlain = !isRoleless && isWellFormed(tokens)
    const text = isPlain ? textOf(tokens, tokenTable) : undefined
    const { said, repairs } = reader(text === undefined ? tokens : withoutText(tokens), isModel)
    const isRepaired = repairs > 0 || said.length !== 1 || !isPlain
    const [message] = said
    if (text !== undefined && message !== undefined) message.content = text
    // History never says that sampling was done: that is true of the model's last message alone.
    if (tokens.at(-1) === SPECIAL.return) tokens[tokens.length - 1] = SPECIAL.end
    for (const message of said) messages.push({ message, tokens, end, isRepaired })
    tokens = []
  }
  for (let at = 0; at < transcript.length; at++) {
    const id = transcript[at] as number
    // What never ended takes nothing of the next message with it, such as the result of a call.
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

/** `<|start|>` header `<|message|>` text terminator, with no other marker than a header's. */
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
 * The text of a well-formed message. The parser would give the same, token by token, in three times the time.
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
  // Joined at once: a text that was put together token by token takes three times as long to look up.
  return parts.join('') + text.flush()
}

/** Its header and its terminator. */
function withoutText(tokens: readonly number[]): readonly number[] {
  return [...tokens.slice(0, tokens.indexOf(SPECIAL.message) + 1), tokens.at(-1) as number]
}

/** Reads the tokens up to a terminator: what they say, and how often the parser had to repair it. */
type SegmentReader = (
  tokens: readonly number[],
  isModel: boolean,
) => { readonly said: readonly HarmonyMessage[]; readonly repairs: number }

function segmentReader(isModel: boolean, tokenTable: TokenTable): SegmentReader {
  let said: HarmonyMessage[] = []
  let repairs = 0
  const parser = createHarmonyParser({ tokenTable, role: isModel ? 'assistant' : null }, (event) => {
    const message = said.at(-1)
    if (event.type === 'message_start') said.push({ ...event.header, content: '' })
    else if (event.type === 'message_text' && message !== undefined) message.content += event.text
    else if (event.type === 'repair') repairs += 1
  })
  return (tokens, isModel) => {
    said = []
    repairs = 0
    // The host began the model's message, as it did when the model wrote it.
    const role = tokens[0] === SPECIAL.start && (tokens[1] ?? 0) < FIRST_SPECIAL ? 2 : 1
    const written = isModel && tokens[0] === SPECIAL.start ? tokens.slice(role) : tokens
    for (const id of written) parser.push(id, isModel ? 'model' : 'host')
    const ended = written.at(-1)
    if (ended === undefined || !TERMINATORS.includes(ended)) parser.end()
    return { said, repairs }
  }
}
