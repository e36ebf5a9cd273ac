import { createWork, type Slices } from '../../../shared/slices.js'

/** A JSON value whose objects inherit nothing, and facts that its validation needs beforehand. */
export interface PlainJson {
  readonly value: unknown
  /** Its strings and the names of its properties. */
  readonly texts: ReadonlySet<string>
  readonly longestArray: number
  /** The number of values in each array and object, itself included. */
  readonly sizes: ReadonlyMap<object, number>
}

/** How many values are copied between two pauses. */
const SLICE = 4_000

/** An array or object of which some values are copied. */
interface Open {
  readonly of: { readonly [name: string | number]: unknown }
  /** The names of its properties; undefined for an array, whose indexes would be as many texts. */
  readonly names: readonly string[] | undefined
  readonly length: number
  readonly copy: { [name: string | number]: unknown }
  /** The place of the copy in the one that contains it. */
  readonly place: string | number
  at: number
  size: number
}

/**
 * Parses JSON. Objects inherit nothing, because a schema may require a property called `constructor`.
 *
 * @throws SyntaxError if it is not JSON
 */
export function* parsePlainJson(text: string): Slices<PlainJson> {
  const texts = new Set<string>()
  const sizes = new Map<object, number>()
  const work = createWork(SLICE)
  const root = opened([JSON.parse(text)], 0)
  const open: Open[] = [root]
  let longestArray = 0
  for (let top = root; ; top = open[open.length - 1] as Open) {
    if (--work.left <= 0) yield* work.pause()
    if (top.at === top.length) {
      open.pop()
      const above = open[open.length - 1]
      if (above === undefined) return { value: root.copy[0], texts, longestArray, sizes }
      sizes.set(top.copy, top.size)
      above.copy[top.place] = top.copy
      above.size += top.size
      continue
    }
    const place = top.names?.[top.at] ?? top.at
    top.at += 1
    const value = top.of[place]
    if (typeof place === 'string') texts.add(place)
    if (typeof value === 'string') texts.add(value)
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) longestArray = Math.max(longestArray, value.length)
      open.push(opened(value, place))
    } else {
      top.copy[place] = value
      top.size += 1
    }
  }
}

function opened(value: object, place: string | number): Open {
  const names = Array.isArray(value) ? undefined : Object.keys(value)
  const length = names?.length ?? (value as readonly unknown[]).length
  const copy = (names === undefined ? [] : Object.create(null)) as Open['copy']
  return { of: value as Open['of'], names, length, copy, place, at: 0, size: 1 }
}
