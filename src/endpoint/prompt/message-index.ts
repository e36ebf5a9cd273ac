import type { RequestTools } from '../../core/recipients/request-tools.js'
import type { Slices, Work } from '../../shared/slices.js'
import { FreePlaces } from './free-places.js'
import { keyOf } from './message-key.js'
import type { Place, TranscriptMessage } from './transcript.js'

/** The cost of searching for a message, in encoded characters. */
export const COMPARED = 16

/** The content at a place of a transcript. */
interface IndexedMessage {
  readonly place: Place
  readonly key: string
  readonly isResult: boolean
}

/** The contents of all transcripts, in order. */
export class MessageIndex {
  readonly all: readonly IndexedMessage[]
  /** The number of each transcript's first message, counting through all of them. */
  readonly #firsts: readonly number[]

  private constructor(all: readonly IndexedMessage[], firsts: readonly number[]) {
    this.all = all
    this.#firsts = firsts
  }

  static *in(
    transcripts: readonly (readonly TranscriptMessage[])[],
    tools: RequestTools,
    work: Work,
  ): Slices<MessageIndex> {
    const all: IndexedMessage[] = []
    const firsts: number[] = []
    for (const [transcript, list] of transcripts.entries()) {
      firsts.push(all.length)
      for (const [index, { message }] of list.entries()) {
        work.left -= COMPARED
        if (work.left <= 0) yield* work.pause()
        all.push({ place: { transcript, index }, key: keyOf(message, tools), isResult: message.role === 'tool' })
      }
    }
    return new MessageIndex(all, firsts)
  }

  /** Returns the number of a place, counting through all transcripts. */
  nthOf({ transcript, index }: Place): number {
    return (this.#firsts[transcript] as number) + index
  }
}

/** The free places of each content: in one transcript, or in any. Each place is taken once. */
export class FreeMessages {
  readonly #all: readonly IndexedMessage[]
  /** By content: a tool's places ascending; those of others negated, from the last back. */
  readonly #free = new Map<string, FreePlaces>()

  private constructor(all: readonly IndexedMessage[]) {
    this.#all = all
  }

  /** @param isByTranscript - whether each message is searched for in one transcript only */
  static *of(
    { all }: MessageIndex,
    isByTranscript: boolean,
    isFree: (place: Place) => boolean,
    work: Work,
  ): Slices<FreeMessages> {
    const messageIndex = new FreeMessages(all)
    const add = ({ place, key }: IndexedMessage, number: number): void => {
      if (isFree(place)) messageIndex.#add(keyIn(key, isByTranscript ? place.transcript : undefined), number)
    }
    for (let nth = 0; nth < all.length; nth++) {
      work.left -= COMPARED
      if (work.left <= 0) yield* work.pause()
      const result = all[nth] as IndexedMessage
      if (result.isResult) add(result, nth)
      const back = all.length - 1 - nth
      const spoken = all[back] as IndexedMessage
      if (!spoken.isResult) add(spoken, -back)
    }
    return messageIndex
  }

  #add(key: string, number: number): void {
    const places = this.#free.get(key) ?? new FreePlaces()
    this.#free.set(key, places)
    places.add(number)
  }

  /**
   * Takes a place of a message that no tool wrote: the last one before another place; if there is none, the last of
   * all.
   */
  takeBefore(key: string, transcript: number | undefined, next: number): Place | undefined {
    const number = this.#take(keyIn(key, transcript), -next)
    return number === undefined ? undefined : this.#all[-number]?.place
  }

  /** Takes a place of a tool's message: the first one after another place; if there is none, the first of all. */
  takeAfter(key: string, transcript: number | undefined, call: number): Place | undefined {
    const number = this.#take(keyIn(key, transcript), call)
    return number === undefined ? undefined : this.#all[number]?.place
  }

  #take(key: string, border: number): number | undefined {
    const free = this.#free.get(key)
    return free?.takeAfter(border) ?? free?.takeAfter(Number.NEGATIVE_INFINITY)
  }
}

/** Returns the key of a content in one transcript, or in any. */
function keyIn(key: string, transcript: number | undefined): string {
  return transcript === undefined ? key : `${transcript} ${key}`
}
