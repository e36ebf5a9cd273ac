import type { AgreedItem } from './agreed-item.js'
import type { AgreedText } from './agreed-text.js'
import type { AgreedCall, AgreedPassage, Agreement } from './agreement.js'
import type { TextHash } from './text-hash.js'
import type { Place, Vote, Where } from './votes.js'

/** The place of a stream that is not as the others are: what its author has to mend. */
export interface Dissent {
  /** Which item and place, what it says, and what all else says. */
  readonly words: string
  /** The event that says so first; absent where something is missing. */
  readonly at?: Where
}

/** The text that is not everywhere the same. `isStreamed`: for a client that takes it from the deltas. */
export function textDissent(passages: readonly AgreedPassage[], isStreamed = false): Dissent | undefined {
  for (const { item, part, isSummary } of passages) {
    const about = isSummary ? `the summary of ${nameOf(item)}` : nameOf(item)
    const dissent = dissentOf(about, part.text, isStreamed, (text) => `${text}`)
    if (dissent !== undefined) return dissent
  }
  return missing(passages.map(({ item }) => item))
}

/** The call that is not everywhere the same. */
export function callDissent(calls: readonly AgreedCall[]): Dissent | undefined {
  for (const { item, name } of calls) {
    const about = nameOf(item)
    const [other] = item.name.against(item.name.all.find(({ value }) => value === name))
    if (other !== undefined) return between(about, NAMES, other, other.value, name)
    const { arguments: given, announcedWhole } = item
    const dissent = dissentOf(about, given, true, ({ plain }) => plain)
    if (dissent !== undefined) return dissent
    if (announcedWhole !== undefined && given.hasDeltas) {
      return {
        words: `${about}: the announced item has its arguments, and the deltas have them, too`,
        at: announcedWhole,
      }
    }
  }
  return missing(calls.map(({ item }) => item))
}

export function citationDissent(passages: readonly AgreedPassage[]): Dissent | undefined {
  for (const { item, part } of passages) {
    const [other] = part.citationDissent
    const urls = part.citations.join(', ') || 'none'
    if (other !== undefined) return between(nameOf(item), CITATIONS, other, other.value.join(', ') || 'none', urls)
    if (part.citations.length > 0 && !part.hasAnnounced) {
      return { words: `${nameOf(item)} has ${urls}, and no response.output_text.annotation.added announces them` }
    }
  }
  return undefined
}

export function endingDissent({ ending, endingDissent: [other] }: Agreement): Dissent | undefined {
  if (other === undefined) return undefined
  return { words: `${ENDINGS[other.places[0] as Place]} says ${other.value}, all else ${ending}`, at: other.at }
}

function dissentOf(
  about: string,
  { text, dissent: [other], hasDeltas, toldAt }: AgreedText,
  isStreamed: boolean,
  shown: (text: TextHash) => string,
): Dissent | undefined {
  if (other !== undefined) return between(about, TEXTS, other, shown(other.value), shown(text))
  if (!isStreamed || hasDeltas || text.length === 0 || toldAt === undefined) return undefined
  return { words: `${about}: no delta says ${shown(text)}`, at: toldAt }
}

/** An item of which not all events came, or another type in one of them. */
function missing(items: readonly AgreedItem[]): Dissent | undefined {
  for (const item of items) {
    const about = nameOf(item)
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
  said: string,
  other: string,
): Dissent => ({ words: `${about}: ${words[place as Place]} ${said}, all else ${other}`, at })

/** An item as a person finds it: `item 1 (message)`. */
const nameOf = (item: AgreedItem): string => `item ${item.index ?? '?'} (${item.kind ?? 'of no type'})`

const TEXTS: Readonly<Record<Place, string>> = {
  added: 'its announcement says',
  deltas: 'its deltas say',
  told: 'its done event says',
  part: 'its part, when done, says',
  done: 'response.output_item.done says',
  terminal: 'the terminal response says',
}

const NAMES: Readonly<Record<Place, string>> = {
  ...TEXTS,
  added: 'response.output_item.added says',
  deltas: 'its events say',
}

const CITATIONS: Readonly<Record<Place, string>> = { ...TEXTS, deltas: 'its annotation events say' }

/** How the ends are said: see `Agreement`. */
const ENDINGS: Readonly<Record<Place, string>> = {
  added: '',
  deltas: '',
  told: 'an error event',
  part: 'error and incomplete_details',
  done: 'the status',
  terminal: 'the event',
}
