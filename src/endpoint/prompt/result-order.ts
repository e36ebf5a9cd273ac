import type { Slices, Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'

/** A message of a conversation, with what its position depends on. */
export interface Ordered {
  readonly message: ReadMessage
  /** Its place in a transcript, which decides its position; undefined if it has none. */
  readonly place?: object | undefined
  /** The index of the last message of the transcripts that have begun up to here. Default: -1, none. */
  readonly until?: number
}

/**
 * Moves the results of calls that the model made together behind all of them, in the order of the calls: Harmony's
 * results name their tool but not their call, so the model matches those of one tool by their order. A call was made
 * together with those before it if one of them still waits for its result, since the model reads no result before it
 * has all. No result moves forward, so that a prompt never changes where an earlier one has rendered it.
 */
export function* resultsInCallOrder<Entry extends Ordered>(entries: readonly Entry[], work: Work): Slices<Entry[]> {
  const results = new Map<number, Entry>()
  const here = new Set<number>()
  for (const entry of entries) {
    const { answers } = entry.message
    if (answers !== undefined && entry.place === undefined) results.set(answers, entry)
    const call = callOf(entry.message)
    if (call !== undefined) here.add(call)
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
  const order = new ResultOrder(results)
  for (const call of [...results.keys()].sort((a, b) => a - b)) if (!here.has(call)) order.addEarlier(call)
  for (const [at, entry] of entries.entries()) {
    order.read(entry, at)
    work.left -= MESSAGE
    if (work.left <= 0) yield* work.pause()
  }
  return order.end()
}

/** The cost of a message, in encoded characters. */
const MESSAGE = 8

/** Returns the item of a call. */
function callOf({ role, recipient, item }: ReadMessage): number | undefined {
  return role === 'assistant' && recipient !== undefined ? item : undefined
}

/** The messages read so far in their new order, and the results that are withheld. Calls are named by their items. */
class ResultOrder<Entry extends Ordered> {
  /** The results that move, by their calls. */
  readonly #results: ReadonlyMap<number, Entry>
  readonly #ordered: Entry[] = []
  readonly #calls = new Set<number>()
  /** The results that were read and not yet released. */
  readonly #withheld = new Map<number, Entry>()
  /** The calls that were made together, and how many of them, from the first on, have had their results released. */
  #together: number[] = []
  #released = 0
  /** Those that wait for their results, and those of them that the host runs. */
  readonly #waiting = new Set<number>()
  readonly #waitingForHost = new Set<number>()
  /** Whether one of their results is withheld, and whether something else has come from the client. */
  #hasResult = false
  #hasGoneOn = false
  /** Where the transcripts that contain the calls end. */
  #until = -1

  constructor(results: ReadonlyMap<number, Entry>) {
    this.#results = results
  }

  /** Adds a call that precedes all entries. */
  addEarlier(call: number): void {
    this.#call(call, -1, false)
  }

  read(entry: Entry, at: number): void {
    const { message, place, until = -1 } = entry
    if (message.answers !== undefined && place === undefined) this.#result(entry, message.answers)
    else {
      const call = callOf(message)
      if (call !== undefined && (this.#results.has(call) || message.isPending)) {
        // A call that the host has not run yet was made in an earlier turn, whose model was told that it is not approved.
        const isLater = this.#waitingForHost.size > 0 && (this.#hasResult || this.#hasGoneOn)
        if (isLater && at > this.#until) this.#releaseAll()
        this.#call(call, until, message.isPending === true)
      } else if (message.role !== 'assistant' && (message.role !== 'tool' || message.answers !== undefined)) {
        // Comes after the calls, and after the results that it followed, if these are the first ones.
        if (at > this.#until) this.#releaseFirst()
        this.#hasGoneOn = this.#together.length > 0
      }
      this.#ordered.push(entry)
    }
    if (this.#hasResult && this.#waiting.size === 0 && at >= this.#until) this.#releaseAll()
  }

  /** Returns all entries. Those behind a pending call say so. */
  end(): Entry[] {
    this.#releaseFirst()
    let behind: number | undefined
    for (; this.#released < this.#together.length; this.#released++) {
      const call = this.#together[this.#released] as number
      const entry = this.#withheld.get(call)
      if (entry === undefined) behind = call
      else this.#ordered.push(behind === undefined ? entry : { ...entry, message: { ...entry.message, behind } })
    }
    return this.#ordered
  }

  #call(call: number, until: number, isPending: boolean): void {
    this.#calls.add(call)
    this.#together.push(call)
    this.#until = Math.max(this.#until, until)
    // A transcript may have moved the call behind its result.
    this.#hasResult ||= this.#withheld.has(call)
    if (this.#withheld.has(call)) return
    this.#waiting.add(call)
    if (isPending || !this.#results.get(call)?.message.isOutput) this.#waitingForHost.add(call)
  }

  #result(entry: Entry, call: number): void {
    // Its call was made earlier, as above, or has another result.
    if (this.#withheld.has(call) || (this.#calls.has(call) && !this.#waiting.has(call))) {
      this.#ordered.push(entry)
      return
    }
    this.#waiting.delete(call)
    this.#waitingForHost.delete(call)
    this.#withheld.set(call, entry)
    if (!entry.message.isImplied) this.#hasResult = true
  }

  /** Releases the results that no other one has to precede. */
  #releaseFirst(): void {
    for (; this.#released < this.#together.length; this.#released++) {
      if (!this.#release(this.#together[this.#released] as number)) return
    }
    this.#forget()
  }

  #releaseAll(): void {
    for (; this.#released < this.#together.length; this.#released++)
      this.#release(this.#together[this.#released] as number)
    this.#forget()
  }

  #release(call: number): boolean {
    const entry = this.#withheld.get(call)
    if (entry !== undefined) this.#ordered.push(entry)
    return this.#withheld.delete(call)
  }

  #forget(): void {
    this.#together = []
    this.#released = 0
    this.#waiting.clear()
    this.#waitingForHost.clear()
    this.#hasResult = false
    this.#hasGoneOn = false
    this.#until = -1
  }
}
