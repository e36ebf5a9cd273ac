import type { Entry } from '../../../journal/entry.js'
import { encodeEntries } from '../../../journal/entry-bytes.js'
import type { EntryBlock } from '../../../stores/store.js'

/** The acknowledged entries of a writer, and those with an unknown fate. */
export interface Written {
  /** The entries that the store has acknowledged, kept here too, to end the response if the store is gone. */
  readonly entries: readonly Entry[]
  /** The entries whose append failed, and that the store may have. */
  readonly unknown: readonly Entry[]
}

/** Encodes entries for a store. */
export function blockOf(entries: readonly Entry[]): EntryBlock {
  return { count: entries.length, bytes: encodeEntries(entries) }
}
