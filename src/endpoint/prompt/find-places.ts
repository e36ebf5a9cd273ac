import type { RequestTools } from '../../core/recipients/request-tools.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'
import { isReasoning } from './drop-reasoning.js'
import { FreePlaces } from './free-places.js'
import { COMPARED, FreeMessages, MessageIndex } from './message-index.js'
import { keyOf, speakerOf } from './message-key.js'
import type { Place, TranscriptMessage } from './transcript.js'

/** The scope of a search. */
export interface Sought {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** Returns the only transcript that may contain the message; undefined if any may. */
  ownerOf(message: ReadMessage): number | undefined
}

/**
 * Finds the place of each message: one with the same content or, if the item does not show its text, one beside its
 * neighbour. Messages with a known transcript are placed first; the rest, such as those that a client sends back
 * without their ids, share the remaining places. Each place is taken once.
 */
export function* findPlaces(
  messages: readonly ReadMessage[],
  { transcripts, ownerOf }: Sought,
  tools: RequestTools,
  work: Work,
): Slices<(Place | undefined)[]> {
  const owners = messages.map(ownerOf)
  yield* onePass(messages, work)
  const messageIndex = yield* MessageIndex.in(transcripts, tools, work)
  const places: (Place | undefined)[] = messages.map(() => undefined)
  const search = {
    messages,
    transcripts,
    owners,
    tools,
    messageIndex,
    places,
    taken: transcripts.map(() => new Set<number>()),
  }
  for (const hasOwner of [true, false]) {
    if (owners.some((owner) => (owner !== undefined) === hasOwner)) yield* findThose(search, hasOwner, work)
  }
  return places
}

/** A search in progress. */
interface Search {
  readonly messages: readonly ReadMessage[]
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** For each message, the transcript that has to contain it. */
  readonly owners: readonly (number | undefined)[]
  readonly tools: RequestTools
  readonly messageIndex: MessageIndex
  /** For each message, the place found. */
  readonly places: (Place | undefined)[]
  /** For each transcript, its messages that were found. */
  readonly taken: readonly Set<number>[]
}

/** Finds the messages that have a transcript of their own, or those that have none. */
function* findThose(search: Search, hasOwner: boolean, work: Work): Slices<void> {
  const { messages, transcripts, owners, tools, messageIndex, places, taken } = search
  const isFree = ({ transcript, index }: Place): boolean => taken[transcript]?.has(index) === false
  const free = yield* FreeMessages.of(messageIndex, hasOwner, isFree, work)
  const take = (at: number, place: Place | undefined): void => {
    if (place !== undefined) taken[place.transcript]?.add(place.index)
    places[at] = place
  }
  const isSought = (at: number): boolean => places[at] === undefined && (owners[at] !== undefined) === hasOwner
  // Searches from the last message back: a conversation loses its beginning, or the end of its responses.
  function* find(isOne: (message: ReadMessage) => boolean, keyOfOne: (message: ReadMessage) => string): Slices<void> {
    let next = Number.POSITIVE_INFINITY
    for (let at = messages.length - 1; at >= 0; at--) {
      work.left -= COMPARED
      if (work.left <= 0) yield* work.pause()
      const message = messages[at] as ReadMessage
      if (message.missing === undefined && isSought(at) && isOne(message)) {
        take(at, free.takeBefore(keyOfOne(message), owners[at], next))
      }
      const place = places[at]
      if (place !== undefined) next = Math.min(next, messageIndex.nthOf(place))
    }
  }
  yield* find(
    ({ role }) => role !== 'tool',
    (message) => keyOf(message, tools),
  )
  // A preamble was shown as reasoning if the answer had to be JSON.
  yield* find(isReasoning, (message) => keyOf({ ...message, channel: 'commentary' }, tools))
  // A result follows its call, and all that the model wrote in the same turn.
  let call = -1
  for (const [at, message] of messages.entries()) {
    work.left -= COMPARED
    if (work.left <= 0) yield* work.pause()
    const place = places[at]
    if (place !== undefined) call = messageIndex.nthOf(place)
    else if (message.role === 'tool' && message.missing === undefined && isSought(at)) {
      take(at, free.takeAfter(keyOf(message, tools), owners[at], call))
    }
  }
  const mayBeIn = (at: number, transcript: number): boolean => isSought(at) && (owners[at] ?? transcript) === transcript
  // The result of a call follows it, though not always directly: several calls may wait together.
  yield* onePass(messageIndex.all, work)
  const results = resultsBySpeaker(search)
  yield* onePass(messageIndex.all, work)
  for (const [at, message] of messages.entries()) {
    const call = places[at - 1]
    if (message.missing === undefined || message.role !== 'tool' || call === undefined) continue
    if (!mayBeIn(at, call.transcript)) continue
    const index = results.get(`${call.transcript} ${speakerOf(message, tools)}`)?.takeAfter(call.index)
    if (index !== undefined) take(at, { transcript: call.transcript, index })
  }
  yield* onePass(messages, work)
  // Reasoning stands directly before or after the message of the neighbouring item.
  const fill = (order: readonly number[], step: 1 | -1): void => {
    for (const at of order) {
      const neighbour = places[at - step]
      const message = messages[at]
      if (message?.missing === undefined || neighbour === undefined) continue
      if (!mayBeIn(at, neighbour.transcript)) continue
      const place = { transcript: neighbour.transcript, index: neighbour.index + step }
      const there = transcripts[place.transcript]?.[place.index]
      if (there === undefined || taken[place.transcript]?.has(place.index)) continue
      if (speakerOf(there.message, tools) === speakerOf(message, tools)) take(at, place)
    }
  }
  const order = [...messages.keys()]
  fill(order, 1)
  yield* onePass(order, work)
  fill(order.reverse(), -1)
}

/** Returns the places at which each tool speaks in each transcript, except those already taken. */
function resultsBySpeaker({ transcripts, taken, tools }: Search): ReadonlyMap<string, FreePlaces> {
  const results = new Map<string, FreePlaces>()
  for (const [transcript, list] of transcripts.entries()) {
    for (const [index, { message }] of list.entries()) {
      if (message.role !== 'tool' || taken[transcript]?.has(index)) continue
      const key = `${transcript} ${speakerOf(message, tools)}`
      const places = results.get(key) ?? new FreePlaces()
      results.set(key, places)
      places.add(index)
    }
  }
  return results
}
