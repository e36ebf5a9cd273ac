/**
 * A path from the root of a tree: the values of a branch, and where it branched off. A chain is one list, which is
 * copied at once: following a thousand references would cost a thousand cache misses.
 */
export interface Path<Value> {
  readonly values: Value[]
  readonly before: PathEnd<Value> | undefined
}

/** A place on a path: the end of its first `count` values. */
export interface PathEnd<Value> {
  readonly path: Path<Value>
  readonly count: number
}

/** Returns the place of a value that follows another, or is the first. */
export function after<Value>(end: PathEnd<Value> | undefined, value: Value): PathEnd<Value> {
  // If another value follows already, this one begins a branch.
  const isTip = end !== undefined && end.path.values.length === end.count
  const path = isTip ? end.path : { values: [], before: end }
  path.values.push(value)
  return { path, count: path.values.length }
}

/** Removes the last value. No other may follow it. */
export function takeOff<Value>({ path, count }: PathEnd<Value>): void {
  path.values.length = count - 1
}

/** Returns all values up to a place, the root's first. */
export function valuesOf<Value>(end: PathEnd<Value> | undefined): readonly Value[] {
  const parts: (readonly Value[])[] = []
  for (let at = end; at !== undefined; at = at.path.before) parts.push(at.path.values.slice(0, at.count))
  return parts.length === 1 ? (parts[0] as readonly Value[]) : parts.reverse().flat()
}
