import type { ReadMessage } from './conversation.js'
import type { Place, TranscriptMessage } from './transcript.js'

export interface Found {
  readonly message: ReadMessage
  readonly place: Place | undefined
  /** The message at its place; undefined if the message is rendered from its item. */
  readonly original: TranscriptMessage | undefined
}

/**
 * Sorts the messages of each transcript within the positions that they occupy. Results of the client's tools in between
 * move behind the transcript: the tools ran after it had ended.
 */
export function inTranscriptOrder(found: readonly Found[]): Found[] {
  const positions = new Map<number, number[]>()
  for (const [at, { place }] of found.entries()) {
    if (place === undefined) continue
    const list = positions.get(place.transcript) ?? []
    positions.set(place.transcript, list)
    list.push(at)
  }
  const sorted = [...found]
  /** The position of each transcript's last message, by that of its first. */
  const lasts = new Map<number, number>()
  for (const list of positions.values()) {
    lasts.set(list[0] as number, list.at(-1) as number)
    const ordered = list.map((at) => found[at] as Found).sort((a, b) => (a.place?.index ?? 0) - (b.place?.index ?? 0))
    for (const [nth, at] of list.entries()) sorted[at] = ordered[nth] as Found
  }
  const result: Found[] = []
  let last = -1
  let late: Found[] = []
  for (const [at, each] of sorted.entries()) {
    last = Math.max(last, lasts.get(at) ?? -1)
    if (at < last && each.place === undefined && each.message.isOutput) late.push(each)
    else result.push(each)
    if (at < last) continue
    for (const one of late) result.push(one)
    late = []
  }
  return result
}
