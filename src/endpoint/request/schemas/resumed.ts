/*
 * Parsing in slices. zod reads a value as a whole and cannot pause, so an exception interrupts a parse that has used up
 * its share, and the parse restarts after the pause: each list that it was reading resumes at the next entry.
 */

import type { Slices, Work } from '../../../shared/slices.js'

/** The state of an interrupted parse. */
interface Progress {
  /** The work that is left before the next pause. */
  left: number
  /** The entries read so far of each open list, by the list's value. */
  readonly lists: Map<readonly unknown[], { readonly of: unknown; readonly entries: unknown[] }>
}

const PAUSED = new Error('paused')

/** The cost of an entry, in encoded characters. */
const ENTRY = 24

/** The running parse, since schemas receive nothing but their values. Undefined between two slices. */
let current: Progress | undefined

/** Parses in slices. @param parse - has no side effects, because it is called again after each pause */
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
 * Reads the entries of a list, from the entry at which the parse was interrupted.
 *
 * @param of - the schema, since each schema reads a value for itself
 * @param read - returns false for an invalid entry, after which no more are read
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
      // At least one entry is read in each slice, so that each makes progress.
      if (current.left <= 0 && index + 1 < list.length) throw PAUSED
    }
  } catch (error) {
    if (error === PAUSED) current?.lists.set(list, { of, entries })
    throw error
  }
  return entries
}
