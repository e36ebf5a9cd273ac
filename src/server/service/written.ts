import type { Entry } from '../../journal/entry.js'
import { encodeEntries } from '../../journal/entry-bytes.js'
import type { EntryBlock } from '../../stores/store.js'

/** The entries that a writer knows to be acknowledged, and those that may be. */
export interface Written {
  /** Those that the store has acknowledged. They are kept here, too, for how the response ends if the store is gone. */
  readonly entries: readonly Entry[]
  /** Those that it may have or not, since their append failed. */
  readonly unknown: readonly Entry[]
}

/** Entries as a store is given them. */
export function blockOf(entries: readonly Entry[]): EntryBlock {
  return { count: entries.length, bytes: encodeEntries(entries) }
}
