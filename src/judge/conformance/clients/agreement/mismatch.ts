import type { TextHash } from '../text-hash.js'
import type { EventRef, Place, Vote } from '../votes.js'
import type { AgreedEnding } from './agreed-ending.js'
import type { AgreedItem } from './agreed-item.js'
import type { AgreedCall, AgreedPassage } from './agreed-output.js'
import type { AgreedText } from './agreed-text.js'

/** The place in a stream that contradicts the others, where the server has to be fixed. */
export interface Mismatch {
  /** The item, the place, its value, and the value of all other places. */
  readonly words: string
  /** The first event with that value; absent if something is missing. */
  readonly at?: EventRef
}

/** Finds a text that differs between places. `isStreamed`: the client reads it from the deltas. */
export function textMismatch(passages: readonly AgreedPassage[], isStreamed = false): Mismatch | undefined {
  for (const { item, part, isSummary } of passages) {
    const about = isSummary ? `the summary of ${itemLabel(item)}` : itemLabel(item)
    const mismatch = mismatchOf(about, part.text, isStreamed, (text) => `${text}`)
    if (mismatch !== undefined) return mismatch
  }
  return missing(passages.map(({ item }) => item))
}

/** Finds a call that differs between places. */
export function callMismatch(calls: readonly AgreedCall[]): Mismatch | undefined {
  for (const { item, name } of calls) {
    const about = itemLabel(item)
    const [other] = item.name.against(item.name.all.find(({ value }) => value === name))
    if (other !== undefined) return between(about, NAMES, other, other.value, name)
    const { arguments: given, argumentsAnnouncedAt: announcedWhole } = item
    const mismatch = mismatchOf(about, given, true, ({ plain }) => plain)
    if (mismatch !== undefined) return mismatch
    if (announcedWhole !== undefined && given.streamedFrom !== undefined) {
      return {
        words: `${about}: the added item has the arguments, and the deltas have them, too`,
        at: announcedWhole,
      }
    }
  }
  return missing(calls.map(({ item }) => item))
}

export function citationMismatch(passages: readonly AgreedPassage[]): Mismatch | undefined {
  for (const { item, part } of passages) {
    const [other] = part.citationMismatch
    const urls = part.citations.join(', ') || 'none'
    if (other !== undefined) return between(itemLabel(item), CITATIONS, other, other.value.join(', ') || 'none', urls)
    if (part.citations.length > 0 && !part.hasAnnotationEvents) {
      return { words: `${itemLabel(item)} has ${urls}, and no response.output_text.annotation.added announces them` }
    }
  }
  return undefined
}

export function endingMismatch({ value: ending, mismatch: [other] }: AgreedEnding): Mismatch | undefined {
  if (other === undefined) return undefined
  return { words: `${ENDINGS[other.places[0] as Place]} says ${other.value}, all else ${ending}`, at: other.at }
}

function mismatchOf(
  about: string,
  { text, mismatch: [other], streamedFrom, statedAt: toldAt }: AgreedText,
  isStreamed: boolean,
  show: (text: TextHash) => string,
): Mismatch | undefined {
  if (other !== undefined) return between(about, TEXTS, other, show(other.value), show(text))
  if (!isStreamed || streamedFrom !== undefined || text.length === 0 || toldAt === undefined) return undefined
  return { words: `${about}: no delta says ${show(text)}`, at: toldAt }
}

/** Finds an item with a missing event, or with another type in some event. */
function missing(items: readonly AgreedItem[]): Mismatch | undefined {
  for (const item of items) {
    const about = itemLabel(item)
    const [other] = item.type.against(item.type.all.find(({ value }) => value === item.kind))
    if (other !== undefined) return between(about, NAMES, other, other.value, item.kind ?? '')
    if (!item.places.has('added')) return { words: `${about}: no response.output_item.added` }
    if (!item.places.has('done')) return { words: `${about}: no response.output_item.done` }
  }
  return undefined
}

const between = (
  about: string,
  words: Readonly<Record<Place, string>>,
  { places: [place], at }: Vote<unknown>,
  value: string,
  other: string,
): Mismatch => ({ words: `${about}: ${words[place as Place]} ${value}, all else ${other}`, at })

/** An item for messages, such as `item 1 (message)`. */
const itemLabel = (item: AgreedItem): string => `item ${item.index ?? '?'} (${item.kind ?? 'of no type'})`

const TEXTS: Readonly<Record<Place, string>> = {
  added: 'the added item says',
  deltas: 'its deltas say',
  textDone: 'its done event says',
  part: 'its done part says',
  done: 'response.output_item.done says',
  terminal: 'the terminal response says',
}

const NAMES: Readonly<Record<Place, string>> = {
  ...TEXTS,
  added: 'response.output_item.added says',
  deltas: 'its events say',
}

const CITATIONS: Readonly<Record<Place, string>> = { ...TEXTS, deltas: 'its annotation events say' }

/** Where each place states the ending: see `Agreement`. */
const ENDINGS: Readonly<Record<Place, string>> = {
  added: '',
  deltas: '',
  textDone: 'an error event',
  part: 'error and incomplete_details',
  done: 'the status',
  terminal: 'the event',
}
