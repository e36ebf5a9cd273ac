import { withPauses } from '../../../../shared/slices.js'
import { nextTurn } from '../../../flow/next-turn.js'
import type { Entry } from '../../../journal/entry.js'
import type { EntryBlock } from '../../../stores/store.js'
import { encodeEntries, encodeEntriesInSlices } from './entry-bytes.js'

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

/**
 * Encodes the first entries of a response, or all of them, and lets other work run in between: a request may have 32 MB,
 * and log-probabilities 20.
 */
export async function largeBlockOf(entries: readonly Entry[]): Promise<EntryBlock> {
  return { count: entries.length, bytes: await withPauses(encodeEntriesInSlices(entries), nextTurn) }
}
