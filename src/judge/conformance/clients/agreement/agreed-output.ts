import type { TextHash } from '../text-hash.js'
import type { AgreedItem, AgreedPart } from './agreed-item.js'

/** A part of a message or of reasoning, with its text. */
export interface AgreedPassage {
  readonly item: AgreedItem
  readonly part: AgreedPart
  readonly text: TextHash
  readonly isRefusal: boolean
  readonly isSummary: boolean
}

/** A call for the application to run. */
export interface AgreedCall {
  readonly item: AgreedItem
  readonly type: string
  readonly name: string
  /** The namespace of its tool, if it has one. */
  readonly namespace: string | undefined
  readonly arguments: TextHash
  /** The model was cut off within it, so it must not be run. */
  readonly isCut: boolean
}

/** The content of a response's items. */
export interface AgreedOutput {
  /** The items that exist, in the order of the response. */
  readonly items: readonly AgreedItem[]
  readonly messages: readonly AgreedPassage[]
  readonly reasoning: readonly AgreedPassage[]
  readonly calls: readonly AgreedCall[]
}

/**
 * @param given - the items that exist, in any order
 * @param isTool - whether the request declares a tool of this name
 * @param isCut - whether the model was cut off within an item
 */
export function outputOf(
  given: readonly AgreedItem[],
  isTool: (name: string) => boolean,
  isCut: (item: AgreedItem) => boolean,
): AgreedOutput {
  const items = inOrder(given)
  const messages: AgreedPassage[] = []
  const reasoning: AgreedPassage[] = []
  const calls: AgreedCall[] = []
  for (const item of items) {
    const { kind } = item
    if (kind === 'message') for (const passage of passages(item, item.content.all)) messages.push(passage)
    else if (kind === 'reasoning') {
      for (const passage of passages(item, item.content.all)) reasoning.push(passage)
      for (const passage of passages(item, item.summary.all, true)) reasoning.push(passage)
    } else if (kind !== undefined && item.isCall) {
      const name = item.name.elected(isTool)?.value ?? ''
      const namespace = item.namespace.winner
      calls.push({ item, type: kind, name, namespace, arguments: item.arguments.text, isCut: isCut(item) })
    }
  }
  return { items, messages, reasoning, calls }
}

/** The items by their output_index, by where the response lists them, or in the order of the stream. */
function inOrder(items: readonly AgreedItem[]): readonly AgreedItem[] {
  if (items.length < 2) return items
  for (const place of [({ index }: AgreedItem) => index, ({ listedAt }: AgreedItem) => listedAt]) {
    const places = items.map(place)
    // Almost always they are in order.
    if (places.every((at, index) => at !== undefined && (index === 0 || at > (places[index - 1] ?? at)))) return items
    if (places.includes(undefined) || new Set(places).size < items.length) continue
    return [...items].sort((a, b) => (place(a) as number) - (place(b) as number))
  }
  return items
}

function passages(item: AgreedItem, parts: readonly AgreedPart[], isSummary = false): AgreedPassage[] {
  return parts.map((part) => ({ item, part, text: part.text.text, isRefusal: part.isRefusal, isSummary }))
}
