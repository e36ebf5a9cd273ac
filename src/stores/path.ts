/**
 * A way from the root of a tree: the values of a branch, and where it branched off. A chain is one list, which is copied at
 * once, where following a thousand references takes as long as waiting for a thousand places of memory.
 */
export interface Path<Value> {
  readonly values: Value[]
  readonly before: PathEnd<Value> | undefined
}

/** A place on a path: its first `count` values. */
export interface PathEnd<Value> {
  readonly path: Path<Value>
  readonly count: number
}

/** The place of a value that comes after another, or is the first. */
export function after<Value>(end: PathEnd<Value> | undefined, value: Value): PathEnd<Value> {
  // Another value may have come after it already: this one is a branch.
  const isTip = end !== undefined && end.path.values.length === end.count
  const path = isTip ? end.path : { values: [], before: end }
  path.values.push(value)
  return { path, count: path.values.length }
}

/** Takes off the last value. Nothing may come after it. */
export function takeOff<Value>({ path, count }: PathEnd<Value>): void {
  path.values.length = count - 1
}

/** All values up to a place, the root's first. */
export function valuesOf<Value>(end: PathEnd<Value> | undefined): readonly Value[] {
  const parts: (readonly Value[])[] = []
  for (let at = end; at !== undefined; at = at.path.before) parts.push(at.path.values.slice(0, at.count))
  return parts.length === 1 ? (parts[0] as readonly Value[]) : parts.reverse().flat()
}
