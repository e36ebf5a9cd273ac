/*
 * Parsing in slices. zod reads a value as a whole, and has no place to pause in. So a parse that has done its share is
 * stopped by an exception, and begins again after the pause: each list that it was in goes on with the next entry.
 */

import type { Slices, Work } from '../../slices.js'

/** What is known of a parse that was stopped. */
interface Progress {
  /** What may still be done before the next pause. */
  left: number
  /** What was read of the lists that it was in, by their values. */
  readonly lists: Map<readonly unknown[], { readonly of: unknown; readonly entries: unknown[] }>
}

const PAUSED = new Error('paused')

/** The cost of an entry, in encoded characters. */
const ENTRY = 24

/** Of the parse that is running: schemas are told of nothing but their values. Undefined between two slices. */
let current: Progress | undefined

/** Does a parse in slices. @param parse - has no effect, for it is called again after each pause */
export function* inSlices<Result>(parse: () => Result, work: Work): Slices<Result> {
  const progress: Progress = { left: work.left, lists: new Map() }
  for (;;) {
    current = progress
    try {
      return parse()
    } catch (error) {
      if (error !== PAUSED) throw error
    } finally {
      current = undefined
      work.left = progress.left
    }
    yield* work.pause()
    progress.left = work.left
  }
}

/**
 * Reads the entries of a list, from where a parse was stopped in it.
 *
 * @param of - the schema, which has a list of its own of each value
 * @param read - false if an entry is wrong: no more are read
 */
export function readEntries<Value>(
  of: unknown,
  list: readonly unknown[],
  read: (entry: unknown, index: number, entries: Value[]) => boolean,
): Value[] | undefined {
  const known = current?.lists.get(list)
  const entries = known?.of === of ? (known?.entries as Value[]) : []
  try {
    for (let index = entries.length; index < list.length; index++) {
      if (!read(list[index], index, entries)) return undefined
      if (current === undefined) continue
      current.left -= ENTRY
      // An entry is read in any case, so that each slice gets further.
      if (current.left <= 0 && index + 1 < list.length) throw PAUSED
    }
  } catch (error) {
    if (error === PAUSED) current?.lists.set(list, { of, entries })
    throw error
  }
  return entries
}
