import type { Logprob } from '../../core/responses/items.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import type { EntryBlock, FinishedResponse } from './store.js'

/** Bytes of an object, an array or a text itself, and of a field or an element. */
const OBJECT = 24
const FIELD = 8
/** Bytes of a log-probability, the token's own or an alternative: its entry, and its wire form, which events share. */
export const LOGPROB_BYTES = 256
/** Overhead of a block: its position and its buffer. */
const BLOCK = 200

/**
 * Estimates the bytes of memory that plain data takes: two for each character of a text, eight for each number, field
 * and element, and 24 for each text, object and array; typed arrays as they are. It exceeds V8's need for Latin texts,
 * for texts that objects share, and for transcripts that responses share.
 */
export function bytesOf(value: unknown): number {
  return atOnce(bytesInSlices(value, createWork()))
}

/** The cost of a value, in encoded characters. */
const VALUE = 1 / 4

/** Does the same in slices. */
function* bytesInSlices(value: unknown, work: Work): Slices<number> {
  let bytes = 0
  const waiting: unknown[] = [value]
  // Iterative: a client's data may be nested as deep as its limits allow.
  while (waiting.length > 0) {
    work.left -= VALUE
    if (work.left <= 0) yield* work.pause()
    const next = waiting.pop()
    if (typeof next === 'string') bytes += OBJECT + 2 * next.length
    else if (typeof next !== 'object' || next === null) continue
    else if (ArrayBuffer.isView(next)) bytes += OBJECT + next.byteLength
    else if (Array.isArray(next)) {
      bytes += OBJECT + FIELD * next.length
      if (typeof next[0] === 'number') continue
      for (const each of next) waiting.push(each)
    } else if (Object.isFrozen(next) && 'top_logprobs' in next) {
      // Only the translator freezes them. An answer of 16,000 tokens has a million objects in them.
      bytes += LOGPROB_BYTES * (1 + (next as Logprob).top_logprobs.length)
    } else {
      const values = Object.values(next)
      bytes += OBJECT + FIELD * values.length
      for (const each of values) waiting.push(each)
    }
  }
  return bytes
}

/** Bytes of the store's own index for a response, and for each of its items. */
const RESPONSE = 700
const ITEM = 400

/** Estimates the bytes of a finished response, including the indexes that find it and its items. */
export function* bytesOfFinished(finished: FinishedResponse, work: Work): Slices<number> {
  const bytes = yield* bytesInSlices(finished, work)
  return bytes + RESPONSE + ITEM * (finished.added.length + finished.response.output.length)
}

/** Estimates the bytes of a block of entries. */
export function bytesOfBlock({ bytes }: EntryBlock): number {
  return BLOCK + bytes.byteLength
}
