import type { Slices } from '../../../shared/slices.js'

/** The number of values that are counted in one slice. */
const SLICE = 10_000

/** Counts the values in a JSON value, including itself: `most` plus one if there are more. */
export function* countValues(value: unknown, most: number): Slices<number> {
  const open: unknown[] = [value]
  let count = 0
  for (; open.length > 0 && count <= most; count++) {
    if (count % SLICE === SLICE - 1) yield
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    // Stops listing values at the limit.
    for (const name in next) {
      open.push((next as { readonly [name: string]: unknown })[name])
      if (open.length > most) return most + 1
    }
  }
  return count
}
