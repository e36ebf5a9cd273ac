import type { RequestTools } from '../recipients/request-tools.js'
import type { Slices, Work } from '../slices.js'
import type { ReadMessage } from './conversation.js'
import { isReasoning } from './drop-reasoning.js'
import { FreePlaces } from './free-places.js'
import { keyOf, speakerOf } from './message-key.js'
import { COMPARED, FreeSayings, Sayings } from './sayings.js'
import type { Place, TranscriptMessage } from './transcript.js'

/** Where messages are looked for. */
export interface Sought {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** In which transcript alone a message may be, if it is there; undefined if it may be in any. */
  ownerOf(message: ReadMessage): number | undefined
}

/**
 * Finds what says the same as each message, or stands beside its neighbour if the item does not show what it says. The
 * messages that have their transcript come first: others, such as those that a client sends back without their ids, have
 * what these leave. Each place is taken once.
 */
export function* findPlaces(
  messages: readonly ReadMessage[],
  { transcripts, ownerOf }: Sought,
  tools: RequestTools,
  work: Work,
): Slices<(Place | undefined)[]> {
  const owners = messages.map(ownerOf)
  const sayings = yield* Sayings.in(transcripts, tools, work)
  const places: (Place | undefined)[] = messages.map(() => undefined)
  const search = {
    messages,
    transcripts,
    owners,
    tools,
    sayings,
    places,
    taken: transcripts.map(() => new Set<number>()),
  }
  for (const hasOwner of [true, false]) {
    if (owners.some((owner) => (owner !== undefined) === hasOwner)) yield* findThose(search, hasOwner, work)
  }
  return places
}

/** A search that is under way. */
interface Search {
  readonly messages: readonly ReadMessage[]
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** For each message, the transcript that it has to be in. */
  readonly owners: readonly (number | undefined)[]
  readonly tools: RequestTools
  readonly sayings: Sayings
  /** For each message, the place that was found. */
  readonly places: (Place | undefined)[]
  /** For each transcript, which of its messages were found. */
  readonly taken: readonly Set<number>[]
}

/** Finds the messages that have a transcript of their own, or those that have none. */
function* findThose(search: Search, hasOwner: boolean, work: Work): Slices<void> {
  const { messages, transcripts, owners, tools, sayings, places, taken } = search
  const isFree = ({ transcript, index }: Place): boolean => taken[transcript]?.has(index) === false
  const free = yield* FreeSayings.of(sayings, hasOwner, isFree, work)
  const take = (at: number, place: Place | undefined): void => {
    if (place !== undefined) taken[place.transcript]?.add(place.index)
    places[at] = place
  }
  const isSought = (at: number): boolean => places[at] === undefined && (owners[at] !== undefined) === hasOwner
  // From the last message back: what is dropped of a conversation is its beginning, or what its responses ended with.
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
      if (place !== undefined) next = Math.min(next, sayings.nthOf(place))
    }
  }
  yield* find(
    ({ role }) => role !== 'tool',
    (message) => keyOf(message, tools),
  )
  // A preamble was shown as reasoning where the answer had to be JSON.
  yield* find(isReasoning, (message) => keyOf({ ...message, channel: 'commentary' }, tools))
  // A result comes after its call, and after whatever else the model wrote in that turn.
  let call = -1
  for (const [at, message] of messages.entries()) {
    work.left -= COMPARED
    if (work.left <= 0) yield* work.pause()
    const place = places[at]
    if (place !== undefined) call = sayings.nthOf(place)
    else if (message.role === 'tool' && message.missing === undefined && isSought(at)) {
      take(at, free.takeAfter(keyOf(message, tools), owners[at], call))
    }
  }
  const mayBeIn = (at: number, transcript: number): boolean => isSought(at) && (owners[at] ?? transcript) === transcript
  // The result of a call comes after it, though not always at once: several calls may wait side by side.
  const results = resultsBySpeaker(search)
  for (const [at, message] of messages.entries()) {
    const call = places[at - 1]
    if (message.missing === undefined || message.role !== 'tool' || call === undefined) continue
    if (!mayBeIn(at, call.transcript)) continue
    const index = results.get(`${call.transcript} ${speakerOf(message, tools)}`)?.takeAfter(call.index)
    if (index !== undefined) take(at, { transcript: call.transcript, index })
  }
  // Reasoning comes right before or after what the item beside it became.
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
  fill(order.reverse(), -1)
}

/** Where each tool speaks in each transcript, but for the places that are taken. */
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
