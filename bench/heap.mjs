// Measures the memory that a value keeps alive. Needs --expose-gc, which the runner passes.
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
  // Objects that one collection frees may free more in the next.
  for (let times = 0; times < 3; times++) globalThis.gc()
  return memoryUsage().heapUsed
}

/** Returns the size of a text itself: a byte for each character, or two if one of them needs it. */
export function bytesOf(text) {
  return serialize(text).length
}

/**
 * Returns the heap's change when a text is flattened, relative to the text's size: a rope changes it, flat text does
 * not.
 */
export function ropeIn(text) {
  const { bytes } = heapOf(() => {
    // Searching flattens the text that is searched.
    ;/\0\0\0/.test(text)
  })
  return Math.abs(bytes) / bytesOf(text)
}
