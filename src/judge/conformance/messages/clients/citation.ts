import { asFields, asList } from '../../stream-event.js'

/** The types of citations of something else than a page of the web. */
const OF_OTHERS: ReadonlySet<unknown> = new Set([
  'char_location',
  'page_location',
  'content_block_location',
  'search_result_location',
])

/** The address of the page of the web that a citation names; undefined if it names none. */
export function pageIn(citation: unknown): string | undefined {
  const { type, url } = asFields(citation)
  return type === 'web_search_result_location' && typeof url === 'string' && url !== '' ? url : undefined
}

/** The addresses in a list of citations, in order. */
export const pagesIn = (citations: unknown): string[] => asList(citations).flatMap((one) => pageIn(one) ?? [])

/** Whether clients know what a citation names. */
export function isCitation(citation: unknown): boolean {
  const { type, url } = asFields(citation)
  return pageIn(citation) !== undefined || (OF_OTHERS.has(type) && url === undefined)
}
