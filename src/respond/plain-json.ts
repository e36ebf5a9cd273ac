import { createWork, type Slices } from '../slices.js'

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
  readonly of: { readonly [name: string]: unknown }
  readonly names: readonly string[]
  readonly copy: { [name: string]: unknown }
  /** The name of the copy in the one that contains it. */
  readonly name: string
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
  const root = { of: { value: JSON.parse(text) }, names: ['value'], copy: {}, name: '', at: 0, size: 0 } as Open
  const open: Open[] = [root]
  let longestArray = 0
  for (let top = root; ; top = open[open.length - 1] as Open) {
    if (top.at === top.names.length) {
      open.pop()
      const above = open[open.length - 1]
      if (above === undefined) return { value: root.copy['value'], texts, longestArray, sizes }
      sizes.set(top.copy, top.size)
      above.copy[top.name] = top.copy
      above.size += top.size
      continue
    }
    if (--work.left <= 0) yield* work.pause()
    const name = top.names[top.at++] as string
    const value = top.of[name]
    if (typeof value === 'string') texts.add(value)
    if (typeof value !== 'object' || value === null) {
      top.copy[name] = value
      top.size += 1
      continue
    }
    const names = Object.keys(value)
    const isArray = Array.isArray(value)
    if (isArray) longestArray = Math.max(longestArray, value.length)
    else for (const each of names) texts.add(each)
    const copy = (isArray ? [] : Object.create(null)) as Open['copy']
    open.push({ of: value as Open['of'], names, copy, name, at: 0, size: 1 })
  }
}
