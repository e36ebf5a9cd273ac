/** Every empty list that is kept: thousands of streams have a dozen each. It stays empty, since {@link grown} makes another. */
export const NONE: readonly never[] = []

/**
 * A list with one more entry: the list itself, unless it is empty. A push onto an empty list would make room for
 * seventeen, and most lists that are kept have one entry.
 */
export function grown<Entry>(list: readonly Entry[], entry: Entry): readonly Entry[] {
  if (list.length === 0) return [entry]
  ;(list as Entry[]).push(entry)
  return list
}
