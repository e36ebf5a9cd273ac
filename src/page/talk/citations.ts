import type { Link } from '../parts/shown-text.js'

/** A citation of an answer, of this server or another: its positions count code points. */
export interface Annotation {
  readonly type: string
  readonly url?: string
  readonly title?: string
  readonly filename?: string
  readonly start_index?: number
  readonly end_index?: number
}

/** Returns the links of a text, in their order, with positions of UTF-16. */
export function linksOf(text: string, annotations: readonly Annotation[]): Link[] {
  const cited = annotations.flatMap(({ url, title, start_index: start, end_index: end }) =>
    url === undefined || start === undefined || end === undefined ? [] : [{ url, title: title ?? url, start, end }],
  )
  if (cited.length === 0) return []
  const offsets = offsetsOf(text)
  const at = (index: number): number => offsets[index] ?? text.length
  return cited
    .map((link) => ({ ...link, start: at(link.start), end: at(link.end) }))
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

/** Returns where each code point of a text begins. */
function offsetsOf(text: string): number[] {
  const offsets: number[] = []
  let at = 0
  for (const character of text) {
    offsets.push(at)
    at += character.length
  }
  return offsets
}
