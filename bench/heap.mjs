// How much memory something keeps. Needs --expose-gc, which the runner gives.
import { memoryUsage } from 'node:process'
import { serialize } from 'node:v8'

/**
 * @template T
 * @param {() => T} make
 * @returns {{ kept: T, bytes: number }} what was made, and by how much it made the heap grow
 */
export function heapOf(make) {
  const before = heapUsed()
  const kept = make()
  return { kept, bytes: heapUsed() - before }
}

function heapUsed() {
  // What one collection sets free may free more in the next.
  for (let times = 0; times < 3; times++) globalThis.gc()
  return memoryUsage().heapUsed
}

/** What a text takes by itself: a byte for each character, or two where one of them needs it. */
export function bytesOf(text) {
  return serialize(text).length
}

/** By how much of its own size the heap changes when a text is made flat: what a rope does, and flat text does not. */
export function ropeIn(text) {
  const { bytes } = heapOf(() => {
    // Looking for something flattens what is looked at.
    ;/\0\0\0/.test(text)
  })
  return Math.abs(bytes) / bytesOf(text)
}
