import type { RequestTools } from '../recipients/request-tools.js'
import type { Slices, Work } from '../slices.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { ReadMessage } from './conversation.js'
import { findPlaces } from './find-places.js'
import { keyOf, speakerOf } from './message-key.js'
import { type Place, readingOf, readTranscript, readTranscriptInSlices, type TranscriptMessage } from './transcript.js'
import { type Found, inTranscriptOrder } from './transcript-order.js'

/**
 * What the host knows of an earlier response:
 *
 * - `tokens`: its transcript, everything that stood after the prompt: sampled ids and the host's own, such as tool
 *   messages and the `<|start|>assistant` of later turns. Where the conversation was compacted, everything since then.
 *   Messages of the request that say the same are rendered with these ids, so that engines find them in their prefix
 *   cache. `items`: the ids of the items that the response had. Their messages are looked for in this transcript alone,
 *   and before others are. Default: none, so that all messages are looked for in it.
 * - `sealed`: an `encrypted_content`, the text that it holds, and its `form`, if it has one: how the response's
 *   messages were sampled. What the form says is used like a transcript's ids, for messages that say the same.
 */
export type HistoryEntry =
  | { readonly tokens: ArrayLike<number>; readonly items?: readonly string[] | undefined }
  | { readonly sealed: string; readonly text: string; readonly form?: string | undefined }

/** The messages of a transcript. */
export interface ReadHistory {
  readonly messages: readonly TranscriptMessage[]
  /** The ids of the items that they became, if the host says them. */
  readonly items: readonly string[]
}

/** The id of an item of the request, by its index. */
export type IdOf = (item: number) => string | undefined

/** Where messages were found. */
export interface Findings {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** For each message, its place; undefined if no transcript says it. */
  readonly places: readonly (Place | undefined)[]
}

/**
 * Finds the messages of a request in the transcripts of earlier responses. A transcript's ids are used for a message
 * that says the same and for nothing else: what the client changed is rendered as the client sent it. Messages of one
 * transcript come in its order, whatever the order of the items. A message without a text is the one beside its
 * neighbour, or left out.
 */
export function* recall(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  idOf: IdOf,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<readonly ReadMessage[]> {
  return recalled(messages, yield* findIn(messages, history, idOf, tools, tokenTable, work), tools, tokenTable)
}

/** The first half of {@link recall}: where the messages stand. */
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
  const known = sinceSummary(read, messages)
  const transcripts = known.map((one) => one.messages)
  if (transcripts.length === 0) return { transcripts, places: [] }
  const owners = ownersOf(read)
  const ownerOf = ({ item }: ReadMessage): number | undefined => {
    const id = owners.size === 0 || item === undefined ? undefined : idOf(item)
    const owner = id === undefined ? undefined : owners.get(id)
    // Below 0 for what a summary stands for now: it is in none of those that are left.
    return owner === undefined ? undefined : owner - (read.length - known.length)
  }
  return { transcripts, places: yield* findPlaces(messages, { transcripts, ownerOf }, tools, work) }
}

/** The transcripts of items, by their ids. */
function ownersOf(history: readonly ReadHistory[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>()
  for (const [transcript, { items }] of history.entries()) for (const id of items) owners.set(id, transcript)
  return owners
}

/** The second half of {@link recall}: the messages as they were sampled, where they were found. */
export function recalled(
  messages: readonly ReadMessage[],
  { transcripts, places }: Findings,
  tools: RequestTools,
  tokenTable: TokenTable,
): readonly ReadMessage[] {
  const isKnown = transcripts.length > 0 || messages.some(({ sampled, missing }) => sampled || missing === 'omitted')
  if (!isKnown) return messages
  const found = messages.flatMap((message, at): Found[] => {
    const place = places[at]
    const known = place && { place, said: sampledAt(transcripts[place.transcript], place.index) }
    const { place: where, said } = known ?? sealedPlace(message, transcripts.length, tools, tokenTable) ?? {}
    return said === undefined && message.missing === 'omitted' ? [] : [{ message, place: where, said }]
  })
  return inTranscriptOrder(found).map(({ message, said }) => {
    if (said === undefined) return message
    const { item } = message
    return { ...said.message, ...(item !== undefined && { item }), tokens: said.tokens }
  })
}

/** What stands at a place, to be written again. Undefined if it had to be repaired, or there is nothing. */
function sampledAt(transcript: readonly TranscriptMessage[] | undefined, index: number): TranscriptMessage | undefined {
  const said = transcript?.[index]
  return said?.isRepaired ? undefined : said
}

/**
 * The transcripts from the latest on that begins with the summary of a conversation that was compacted: nothing of those
 * before it is left, but the same may have been said in them.
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
 * Where a message stood in its response, as a seal tells it, and its ids. A seal's messages are as a transcript of their
 * own. Undefined if what was sampled says something else, or has a control token where none belongs: a client may have
 * changed the item, or have put the seal beside others.
 */
function sealedPlace(
  message: ReadMessage,
  transcripts: number,
  tools: RequestTools,
  tokenTable: TokenTable,
): Pick<Found, 'place' | 'said'> | undefined {
  if (message.sampled === undefined) return undefined
  const { seal, index, tokens } = message.sampled
  const place = { transcript: transcripts + seal, index }
  if (tokens === undefined) return { place, said: undefined }
  const [said, ...others] = readTranscript(tokens, readingOf(tools, tokenTable))
  if (said === undefined || said.isRepaired || others.length > 0 || said.end !== tokens.length) return undefined
  const key = message.missing === undefined ? keyOf : speakerOf
  return key(said.message, tools) === key(message, tools) ? { place, said } : undefined
}
