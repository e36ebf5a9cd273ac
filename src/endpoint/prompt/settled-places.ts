import type { RequestTools } from '../../core/recipients/request-tools.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'
import { isReasoning } from './drop-reasoning.js'
import type { Findings } from './history.js'
import { COMPARED } from './message-index.js'
import { keyOf } from './message-key.js'
import { hashOf } from './text-hash.js'

/*
 * Determines which messages keep their places when more of a conversation is read. `findPlaces` searches all
 * transcripts at once, first for messages that have a transcript of their own, in two orders:
 *
 * - Messages that no tool wrote, from the last to the first: each takes the last free place before the next message's,
 *   or else the last free place of all. Reasoning that found none then takes a preamble's in the same way.
 * - Tools' messages, from the first to the last: each takes the first free place after the previous message's, or else
 *   the first free place of all.
 *
 * So a place in the message's own part of the conversation is final unless another part has an equal message that is
 * left over: a message without such a place, or a place without its message.
 */

/** The leftovers of a part of a conversation, which others may match, as hashes of contents. */
export interface PlacesOfPart {
  /** Places in its transcripts, except tools'. */
  readonly sampled: readonly number[]
  /** Messages without a place, or without one that is ordered relative to that of the next or previous message. */
  readonly loose: readonly number[]
  /** Places of tools that no message took. */
  readonly freeResults: readonly number[]
  /** The last message with a place, and the last reasoning with the place of a preamble. */
  readonly last: number | undefined
  readonly lastShown: number | undefined
}

/** The leftovers of the conversation so far, which the next parts may match. */
export class SettledPlaces {
  readonly #sampled = new Set<number>()
  readonly #loose = new Set<number>()
  readonly #freeResults = new Set<number>()
  #last: number | undefined
  #lastShown: number | undefined

  /** The number of its hashes. */
  get size(): number {
    return this.#sampled.size + this.#loose.size + this.#freeResults.size
  }

  *add({ sampled, loose, freeResults, last, lastShown }: PlacesOfPart, work: Work): Slices<void> {
    for (const hash of sampled) this.#sampled.add(hash)
    yield* onePass(sampled, work)
    for (const hash of loose) this.#loose.add(hash)
    yield* onePass(loose, work)
    for (const hash of freeResults) this.#freeResults.add(hash)
    yield* onePass(freeResults, work)
    // Places of later parts precede that of the last message, and follow those of all others.
    if (last !== undefined || lastShown !== undefined) this.#lastShown = lastShown
    if (last !== undefined) this.#last = last
  }

  /**
   * Returns the leftovers after the next part; undefined if one of its messages, or of the messages before it, may have
   * another place when everything is read.
   *
   * @param findings - the places of the part's messages in its own transcripts
   */
  *afterwards(
    messages: readonly ReadMessage[],
    { transcripts, places }: Findings,
    tools: RequestTools,
    work: Work,
  ): Slices<PlacesOfPart | undefined> {
    const part: Part = { there: [], nths: [], taken: new Set(), spoken: new Set(), loose: [], tools }
    const firsts: number[] = []
    for (const list of transcripts) {
      firsts.push(part.there.length)
      for (const { message } of list) {
        work.left -= COMPARED
        if (work.left <= 0) yield* work.pause()
        part.there.push({ hash: yield* hashOf(keyOf(message, tools), work), isResult: message.role === 'tool' })
      }
    }
    for (const place of places) part.nths.push(place && (firsts[place.transcript] as number) + place.index)
    const lasts = yield* this.#speak(messages, part, work)
    if (lasts === undefined || !(yield* this.#answer(messages, part, work))) return undefined
    yield* onePass(messages, work)
    const sampled: number[] = []
    const freeResults: number[] = []
    for (const [nth, { hash, isResult }] of part.there.entries()) {
      const isFree = !part.taken.has(nth)
      if ((isResult || isFree) && this.#loose.has(hash)) return undefined
      const isLast = hash === this.#last || hash === this.#lastShown
      if (!isResult && isFree && nth < lasts.first && isLast) return undefined
      if (!isResult) sampled.push(hash)
      else if (isFree) freeResults.push(hash)
    }
    yield* onePass(part.there, work)
    return { sampled, loose: part.loose, freeResults, last: lasts.last, lastShown: lasts.lastShown }
  }

  /**
   * Handles messages that no tool wrote, for the first two passes of `findPlaces` at once: the content at a place shows
   * which of them found it.
   *
   * @returns the last messages, and the first place that the first pass found; undefined if a message may have another
   * place
   */
  *#speak(
    messages: readonly ReadMessage[],
    { there, nths, taken, spoken, loose, tools }: Part,
    work: Work,
  ): Slices<{ first: number; last: number | undefined; lastShown: number | undefined } | undefined> {
    let first = Number.POSITIVE_INFINITY
    /** The first place that either pass found. */
    let firstOfBoth = Number.POSITIVE_INFINITY
    let last: number | undefined
    let lastShown: number | undefined
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at] as ReadMessage
      if (message.missing !== undefined || message.role === 'tool') continue
      work.left -= COMPARED
      if (work.left <= 0) yield* work.pause()
      const nth = nths[at]
      const hash = yield* hashOf(keyOf(message, tools), work)
      const isSaid = nth !== undefined && there[nth]?.hash === hash
      const mayMove = [isSaid && nth < first ? [] : [hash]]
      if (!isSaid && isReasoning(message)) {
        const commentaryHash = yield* hashOf(keyOf({ ...message, channel: 'commentary' }, tools), work)
        if (nth !== undefined) lastShown ??= commentaryHash
        mayMove.push(nth !== undefined && nth < firstOfBoth ? [] : [commentaryHash])
      }
      for (const one of mayMove.flat()) {
        if (this.#sampled.has(one)) return undefined
        loose.push(one)
      }
      if (nth === undefined) continue
      spoken.add(at)
      firstOfBoth = Math.min(firstOfBoth, nth)
      if (!isSaid) continue
      last ??= hash
      taken.add(nth)
      first = Math.min(first, nth)
    }
    return { first, last, lastShown }
  }

  /** Handles tools' messages, the third pass. @returns whether the places of all results are final */
  *#answer(messages: readonly ReadMessage[], part: Part, work: Work): Slices<boolean> {
    const { nths, taken, spoken, loose, tools } = part
    let call: number | undefined
    for (const [at, message] of messages.entries()) {
      const nth = nths[at]
      if (spoken.has(at)) call = nth
      // A message that its item does not show is found beside its call only.
      if (message.missing !== undefined || message.role !== 'tool') continue
      work.left -= COMPARED
      if (work.left <= 0) yield* work.pause()
      const hash = yield* hashOf(keyOf(message, tools), work)
      if (nth !== undefined) taken.add(nth)
      if (nth !== undefined && call !== undefined && nth > call) continue
      // Without a preceding call here, it is the first one after those of earlier parts.
      if (this.#freeResults.has(hash)) return false
      if (nth === undefined || call !== undefined) loose.push(hash)
    }
    return true
  }
}

/** A part under examination. Places are numbered through all its transcripts. */
interface Part {
  /** The content at each place. */
  readonly there: { readonly hash: number; readonly isResult: boolean }[]
  /** For each message, its place. */
  readonly nths: (number | undefined)[]
  /** The places of the first pass, and of the third. */
  readonly taken: Set<number>
  /** The messages that the first two passes found. */
  readonly spoken: Set<number>
  readonly loose: number[]
  readonly tools: RequestTools
}
