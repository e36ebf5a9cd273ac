import type { Reclaimable } from '../../flow/byte-budget.js'
import type { RememberedResponse } from '../service/conversation/earlier-responses.js'

/**
 * The limit in characters. A response that begins a conversation is remembered whatever its size, if it is the latest.
 */
const MAX_SIZE = 67_108_864

/** Bytes per character of a conversation: in its items, and as ids in its transcripts. */
const CHARACTER_BYTES = 3

/** The latest responses of one connection that are not stored, for the next `previous_response_id`. */
export class Remembered implements Reclaimable {
  /** The maximum number of responses. */
  readonly #max: number
  readonly #known = new Map<string, RememberedResponse>()
  /** How many hold each response: its id, and the responses that continue it. It is dropped with the last of these. */
  readonly #holders = new Map<RememberedResponse, number>()
  readonly #sizes = new WeakMap<RememberedResponse, number>()
  readonly #listeners = new Set<() => void>()
  #total = 0

  constructor(max: number) {
    this.#max = max
  }

  get bytes(): number {
    return this.#total * CHARACTER_BYTES
  }

  /** A property, since it is passed on alone. */
  readonly find = (responseId: string): RememberedResponse | undefined => this.#known.get(responseId)

  /** @param size - the length of the response's addition to its conversation, in characters */
  add(response: RememberedResponse, size: number): void {
    this.#sizes.set(response, size)
    this.#known.set(response.finished.response.id, response)
    this.#hold(response)
    for (const [oldest, { before }] of this.#known) {
      const isOne = this.#known.size === 1 && typeof before !== 'object'
      if (this.#known.size <= this.#max && (this.#total <= MAX_SIZE || isOne)) break
      this.forget(oldest)
    }
    this.#tell()
  }

  forget(responseId: string): void {
    const response = this.#known.get(responseId)
    this.#known.delete(responseId)
    if (response !== undefined) this.#letGo(response)
    this.#tell()
  }

  reclaim(bytes: number): number {
    const before = this.bytes
    for (const oldest of this.#known.keys()) {
      if (before - this.bytes >= bytes) break
      this.forget(oldest)
    }
    return before - this.bytes
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #hold(response: RememberedResponse): void {
    // Includes predecessors that were dropped while the response continued them.
    for (let each: RememberedResponse | undefined = response; each !== undefined; each = beforeOf(each)) {
      const count: number | undefined = this.#holders.get(each)
      this.#holders.set(each, (count ?? 0) + 1)
      if (count !== undefined) return
      this.#total += this.#sizes.get(each) ?? 0
    }
  }

  #letGo(response: RememberedResponse): void {
    for (let last: RememberedResponse | undefined = response; last !== undefined; last = beforeOf(last)) {
      const left: number = (this.#holders.get(last) ?? 1) - 1
      if (left > 0) return void this.#holders.set(last, left)
      this.#holders.delete(last)
      this.#total -= this.#sizes.get(last) ?? 0
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

function beforeOf({ before }: RememberedResponse): RememberedResponse | undefined {
  return typeof before === 'object' ? before : undefined
}
