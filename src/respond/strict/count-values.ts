import type { Slices } from '../../slices.js'

/** So many values are counted in one piece. */
const SLICE = 10_000

/** How many values a JSON value has, itself included: one more than `most` if there are more. */
export function* countValues(value: unknown, most: number): Slices<number> {
  const open: unknown[] = [value]
  let count = 0
  for (; open.length > 0 && count <= most; count++) {
    if (count % SLICE === SLICE - 1) yield
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    // Past the limit, values need not be listed.
    for (const name in next) {
      open.push((next as { readonly [name: string]: unknown })[name])
      if (open.length > most) return most + 1
    }
  }
  return count
}
