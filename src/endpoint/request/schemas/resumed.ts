/*
 * Parsing in slices. zod reads a value as a whole and cannot pause, so an exception interrupts a parse that has used up
 * its share, and the parse restarts after the pause: each list that it was reading resumes at the next entry.
 */

import type { Slices, Work } from '../../../shared/slices.js'

/** How far a list was read. */
interface OpenList {
  /** The schema of its entries. */
  readonly of: unknown
  readonly entries: unknown[]
  next: number
}

/** The state of an interrupted parse. */
interface Progress {
  /** The work that is left before the next pause. */
  left: number
  /** The open lists, by their values. */
  readonly lists: Map<readonly unknown[], OpenList>
  /** Undefined if entries of unknown types are refused. */
  readonly unknown: UnknownEntries | undefined
}

/** What became of the entries of unknown types, by their lists and indices. */
export type UnknownEntries = Map<readonly unknown[], Map<number, 'skipped' | 'replaced'>>

const PAUSED = new Error('paused')

/** The cost of an entry, in encoded characters. */
const ENTRY = 24

/** The running parse, since schemas receive nothing but their values. Undefined between two slices. */
let current: Progress | undefined

/**
 * Parses in slices.
 *
 * @param parse - has no side effects, because it is called again after each pause
 * @param unknown - receives the entries of unknown types. Absent: they are refused
 */
export function* inSlices<Result>(parse: () => Result, work: Work, unknown?: UnknownEntries): Slices<Result> {
  const progress: Progress = { left: work.left, lists: new Map(), unknown }
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
  const open = known?.of === of ? (known as OpenList) : { of, entries: [], next: 0 }
  const entries = open.entries as Value[]
  try {
    while (open.next < list.length) {
      if (!read(list[open.next], open.next, entries)) return undefined
      open.next += 1
      if (current === undefined) continue
      current.left -= ENTRY
      // At least one entry is read in each slice, so that each makes progress.
      if (current.left <= 0 && open.next < list.length) throw PAUSED
    }
  } catch (error) {
    if (error === PAUSED) current?.lists.set(list, open)
    throw error
  }
  return entries
}

/** Records that an entry of a list has an unknown type. Returns false if such entries are refused. */
export function isUnknownAllowed(list: readonly unknown[], index: number, fate: 'skipped' | 'replaced'): boolean {
  const unknown = current?.unknown
  if (unknown === undefined) return false
  const fates = unknown.get(list) ?? new Map()
  unknown.set(list, fates.set(index, fate))
  return true
}
