import { createWork, withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import { type KnownResponse, type KnownResponses, type ReadResponse, readResponse } from './known-responses.js'
import type { Call, Climbed, FoundTip, StampedRow } from './operation-types.js'
import type { StoredContent } from './stored-content.js'

/** Reads the conversation of a response, except what is known of it; undefined if it has been deleted meanwhile. */
export type ConversationReader = (
  tip: FoundTip['tip'],
  last: StampedRow,
  owner: string,
) => Promise<KnownResponse | undefined>

/** The most responses of a first part: nearly always, the last one continues a known one. */
const FIRST = 2
/** How much larger each part is than the one before. The database bounds them. */
const GROWTH = 8

/**
 * An owner's conversations are read one after another: many requests that continue one conversation wait for one reading, and
 * one conversation of each owner is in memory beside the known ones. A conversation is read in parts, and other work runs
 * between two of them, here and in the database.
 */
export function createConversationReader(
  call: Call,
  known: KnownResponses,
  content: StoredContent,
): ConversationReader {
  /** The latest reading of each owner. */
  const readings = new Map<string, Promise<unknown>>()

  async function read(tip: StampedRow, last: StampedRow, owner: string): Promise<KnownResponse | undefined> {
    // From the last one to the first.
    const read: ReadResponse[] = []
    const work = createWork()
    let next: StampedRow | undefined = last
    let before: KnownResponse | undefined
    for (let max = FIRST; next !== undefined; max *= GROWTH) {
      const part: Climbed | undefined = await call({ owner }, 'climb', tip, next.rid, max)
      if (part === undefined) return undefined
      for (const row of part.rows) {
        before = known.get(row)
        if (before !== undefined) break
        const finished = await withPauses(content.finishedOf(row, row.responseId, owner, work), nextTurn)
        read.push(await withPauses(readResponse(row, finished, work), nextTurn))
      }
      before ??= part.next && known.get(part.next)
      next = before === undefined ? part.next : undefined
    }
    read.reverse()
    const [first, ...others] = read
    return first === undefined ? before : known.add([first, ...others], before)
  }

  return async (tip, last, owner) => {
    const earlier = readings.get(owner) ?? Promise.resolve()
    const reading = earlier.then(() => known.get(last) ?? read(tip, last, owner))
    const over = reading.catch(() => {})
    readings.set(owner, over)
    try {
      return await reading
    } finally {
      if (readings.get(owner) === over) readings.delete(owner)
    }
  }
}
