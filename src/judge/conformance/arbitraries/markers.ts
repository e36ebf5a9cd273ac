import { markerId } from '../../../core/harmony/vocabulary.js'

const MARKER = /<\|([a-z]+(?:_[0-9]+)?)\|>/g

/** Splits text at the markers that it spells: ids for markers, strings for the text in between. */
export function splitMarkers(text: string): (number | string)[] {
  const parts: (number | string)[] = []
  let from = 0
  for (const match of text.matchAll(MARKER)) {
    const id = markerId(match[1] ?? '')
    if (id === undefined) continue
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push(id)
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Whether the text spells the name of a special token anywhere. */
export function spellsMarker(text: string): boolean {
  return splitMarkers(text).some((part) => typeof part === 'number')
}
