import type { RequestTools } from '../../core/recipients/request-tools.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'
import { findPlaces } from './find-places.js'
import { keyOf, speakerOf } from './message-key.js'
import { type Place, readingOf, readTranscript, readTranscriptInSlices, type TranscriptMessage } from './transcript.js'
import { type Found, inTranscriptOrder } from './transcript-order.js'

/**
 * The host's record of an earlier response:
 *
 * - `tokens`: its transcript, all ids after the prompt: sampled ones and the host's own, such as tool messages and the
 *   `<|start|>assistant` of later turns. If the conversation was compacted, all ids since then. Messages of the request
 *   that say the same are rendered with these ids, so that engines find them in their prefix cache. `items`: the ids of
 *   the response's items. Their messages are searched for only in this transcript, and before all others. Default:
 *   none, so that all messages are searched for in it. `files`: the files that its searches found, which the model can cite.
 * - `sealed`: an `encrypted_content`, its text, and its `form`, if it has one: how the response's messages were
 *   sampled, with the files that they cite. The form is used like a transcript's ids, for messages that say the same.
 */
export type HistoryEntry<Ids extends ArrayLike<number> = ArrayLike<number>> =
  /** A transcript, with the items and files of its response. */
  | {
      readonly tokens: Ids
      readonly items?: readonly string[] | undefined
      readonly files?: CitableFiles | undefined
    }
  /** An `encrypted_content`, its text, and how its response's messages were sampled. */
  | { readonly sealed: string; readonly text: string; readonly form?: string | undefined }

/** The messages of a transcript. */
export interface ReadHistory {
  readonly messages: readonly TranscriptMessage[]
  /** The ids of the items that they became, if the host provides them. */
  readonly items: readonly string[]
}

/** Returns the id of an item of the request, by its index. */
export type IdOf = (item: number) => string | undefined

/** The places of messages in transcripts. */
export interface Findings {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** For each message, its place; undefined if no transcript contains it. */
  readonly places: readonly (Place | undefined)[]
}

/**
 * Finds the messages of a request in the transcripts of earlier responses. A transcript's ids are used only for a
 * message that says the same: a message that the client changed is rendered from its item. Messages of one transcript
 * keep its order, whatever the order of the items. A message without a text is matched to the place beside its
 * neighbour, or omitted.
 */
export function* recall(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  idOf: IdOf,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<readonly ReadMessage[]> {
  yield* onePass(messages, work)
  const findings = yield* findIn(messages, history, idOf, tools, tokenTable, work)
  yield* onePass(messages, work)
  return yield* recalled(messages, findings, tools, tokenTable, work)
}

/** Runs the first half of {@link recall}: finds the places of the messages. */
export function* findIn(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  idOf: IdOf,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<Findings> {
  const read: ReadHistory[] = []
  for (const entry of history) {
    if (!('tokens' in entry)) continue
    const list = yield* readTranscriptInSlices(entry.tokens, readingOf(tools, tokenTable), work)
    read.push({ messages: list, items: entry.items ?? [] })
  }
  yield* onePass(messages, work)
  const known = sinceSummary(read, messages)
  yield* onePass(messages, work)
  const transcripts = known.map((one) => one.messages)
  if (transcripts.length === 0) return { transcripts, places: [] }
  const owners = ownersOf(read)
  const ownerOf = ({ item }: ReadMessage): number | undefined => {
    const id = owners.size === 0 || item === undefined ? undefined : idOf(item)
    const owner = id === undefined ? undefined : owners.get(id)
    // Negative for an item that a summary has since replaced: no remaining transcript contains it.
    return owner === undefined ? undefined : owner - (read.length - known.length)
  }
  return { transcripts, places: yield* findPlaces(messages, { transcripts, ownerOf }, tools, work) }
}

/** Maps item ids to their transcripts. */
function ownersOf(history: readonly ReadHistory[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>()
  for (const [transcript, { items }] of history.entries()) for (const id of items) owners.set(id, transcript)
  return owners
}

/** Runs the second half of {@link recall}: returns the messages as they were sampled, where they were found. */
export function* recalled(
  messages: readonly ReadMessage[],
  { transcripts, places }: Findings,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<readonly ReadMessage[]> {
  const isKnown = transcripts.length > 0 || messages.some(({ sampled, missing }) => sampled || missing === 'omitted')
  yield* onePass(messages, work)
  if (!isKnown) return messages
  const found: Found[] = []
  for (const [at, message] of messages.entries()) {
    const place = places[at]
    const known = place && { place, original: sampledAt(transcripts[place.transcript], place.index) }
    const { place: where, original } = known ?? sealedPlace(message, transcripts.length, tools, tokenTable) ?? {}
    if (original !== undefined || message.missing !== 'omitted') found.push({ message, place: where, original })
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
  const read: ReadMessage[] = []
  for (const { message, original } of yield* inTranscriptOrder(found, work)) {
    const { item } = message
    const sampled = original && { ...original.message, ...(item !== undefined && { item }), tokens: original.tokens }
    read.push(sampled ?? message)
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
  return read
}

/** The cost of a message, in encoded characters. */
const MESSAGE = 2

/** Returns the message at a place for rendering; undefined if it had to be repaired, or there is none. */
function sampledAt(transcript: readonly TranscriptMessage[] | undefined, index: number): TranscriptMessage | undefined {
  const original = transcript?.[index]
  return original?.isRepaired ? undefined : original
}

/**
 * Returns the transcripts from the latest one on that begins with the summary of a compacted conversation: none of the
 * earlier ones is left in the prompt, though they may contain equal messages.
 */
function sinceSummary(transcripts: readonly ReadHistory[], messages: readonly ReadMessage[]): readonly ReadHistory[] {
  const summary = messages.findLast(({ isSummary }) => isSummary)
  if (summary === undefined) return transcripts
  const latest = transcripts.findLastIndex((one) =>
    one.messages.some(({ message }) => message.role === 'user' && message.content === summary.content),
  )
  return transcripts.slice(Math.max(latest, 0))
}

/**
 * Returns a message's place and ids according to its seal, whose messages act like a transcript of their own. Undefined
 * if the sampled message differs, or has a misplaced control token: a client may have changed the item, or have moved
 * the seal.
 */
function sealedPlace(
  message: ReadMessage,
  transcripts: number,
  tools: RequestTools,
  tokenTable: TokenTable,
): Pick<Found, 'place' | 'original'> | undefined {
  if (message.sampled === undefined) return undefined
  const { seal, index, tokens } = message.sampled
  const place = { transcript: transcripts + seal, index }
  if (tokens === undefined) return { place, original: undefined }
  const [original, ...others] = readTranscript(tokens, readingOf(tools, tokenTable))
  if (original === undefined || original.isRepaired || others.length > 0 || original.end !== tokens.length)
    return undefined
  const key = message.missing === undefined ? keyOf : speakerOf
  return key(original.message, tools) === key(message, tools) ? { place, original } : undefined
}
