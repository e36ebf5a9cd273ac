import { createHarmonyParser } from '../harmony/event-parser.js'
import type { HarmonyMessage, Repair } from '../harmony/events.js'
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
}

const TERMINATORS: readonly number[] = [SPECIAL.end, SPECIAL.call, SPECIAL.return]
const HEADER_MARKERS: readonly number[] = [SPECIAL.channel, SPECIAL.constrain]

/**
 * The well-formed messages of a transcript, in order: what followed the prompt in the engine's context, with or without
 * the `<|start|>assistant` that the first message began with.
 * Messages that the parser would have to repair are left out, because in the next prompt they must not look as they
 * did; so is a message that never ended.
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
  for (let at = 0; at < transcript.length; at++) {
    const id = transcript[at] as number
    tokens.push(id)
    if (!TERMINATORS.includes(id)) continue
    const message = isWellFormed(tokens) ? parse(tokens, tokens[1] === assistant[0], tokenTable) : undefined
    // History never says that sampling was done: that is true of the model's last message alone.
    if (id === SPECIAL.return) tokens[tokens.length - 1] = SPECIAL.end
    if (message !== undefined) messages.push({ message, tokens, end: at + 1 })
    work.left -= tokens.length
    if (work.left <= 0) yield* work.pause()
    tokens = []
  }
  return messages
}

/** `<|start|>` header `<|message|>` text terminator, with no other marker than a header's. */
function isWellFormed(tokens: readonly number[]): boolean {
  const text = tokens.indexOf(SPECIAL.message)
  if (tokens[0] !== SPECIAL.start || text === -1) return false
  const isText = (id: number): boolean => id < FIRST_SPECIAL
  return (
    tokens.slice(1, text).every((id) => isText(id) || HEADER_MARKERS.includes(id)) &&
    tokens.slice(text + 1, -1).every(isText)
  )
}

/** Undefined if the parser would repair something. It reads the header and the terminator: the rest is text. */
function parse(tokens: readonly number[], isModel: boolean, tokenTable: TokenTable): HarmonyMessage | undefined {
  const repairs: Repair[] = []
  let message: HarmonyMessage | undefined
  const parser = createHarmonyParser({ tokenTable, role: null }, (event) => {
    if (event.type === 'message_start') message = { ...event.header, content: '' }
    else if (event.type === 'repair') repairs.push(event.repair)
  })
  const start = tokens.indexOf(SPECIAL.message) + 1
  const end = tokens.length - 1
  for (const id of [...tokens.slice(0, start), tokens[end] as number]) parser.push(id, isModel ? 'model' : 'host')
  parser.end()
  if (repairs.length > 0 || message === undefined) return undefined
  const text = createDetokenizer(tokenTable)
  // Joined at once: a text that was put together token by token takes three times as long to look up.
  const parts: string[] = []
  for (let at = start; at < end; at++) {
    const id = tokens[at] as number
    // The parser drops what is no token.
    if (id >= tokenTable.size) return undefined
    parts.push(text.push(id))
  }
  return { ...message, content: parts.join('') + text.flush() }
}
