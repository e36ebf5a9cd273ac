import { onePass, type Slices, type Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'
import { resultsInCallOrder } from './result-order.js'
import type { Place, TranscriptMessage } from './transcript.js'

export interface Found {
  readonly message: ReadMessage
  readonly place: Place | undefined
  /** The message at its place; undefined if the message is rendered from its item. */
  readonly original: TranscriptMessage | undefined
}

/**
 * Sorts the messages of each transcript within the positions that they occupy, and {@link resultsInCallOrder}. Results
 * of its calls that it does not contain stand behind it: the client's tools ran after it had ended.
 */
export function* inTranscriptOrder(found: readonly Found[], work: Work): Slices<Found[]> {
  const positions = new Map<number, number[]>()
  for (const [at, { place }] of found.entries()) {
    if (place === undefined) continue
    const list = positions.get(place.transcript) ?? []
    positions.set(place.transcript, list)
    list.push(at)
  }
  yield* onePass(found, work)
  const sorted = [...found]
  /** The position of each transcript's last message, by that of its first. */
  const lasts = new Map<number, number>()
  for (const list of positions.values()) {
    lasts.set(list[0] as number, list.at(-1) as number)
    const ordered = list.map((at) => found[at] as Found).sort((a, b) => (a.place?.index ?? 0) - (b.place?.index ?? 0))
    for (const [nth, at] of list.entries()) sorted[at] = ordered[nth] as Found
    yield* onePass(list, work)
  }
  let until = -1
  const entries: (Found & { readonly until: number })[] = []
  for (const [at, { message, place, original }] of sorted.entries()) {
    until = Math.max(until, lasts.get(at) ?? -1)
    entries.push({ message, place, original, until })
  }
  yield* onePass(entries, work)
  return yield* resultsInCallOrder(entries, work)
}
