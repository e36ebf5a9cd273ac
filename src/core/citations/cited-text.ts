/** The maximum length of a quotation in UTF-16 units, which is a fact of the Messages API. */
const MAX_QUOTE = 150

/** Matches the place in a mark: `L3`, `L3-L5`. */
const PLACE = /^L(\d{1,9})(?:-L(\d{1,9}))?$/
const NUMBERED = /^L(\d{1,9}):([\s\S]*)$/
const LINK = /【\d+†([^†】]*)(?:†[^】]*)?】/g

/**
 * Returns the beginning of the lines that a mark cites, without their numbers and the ids of links.
 *
 * @param page - what the model has read of it, with numbered lines: `L3: ...`
 * @param place - the second part of the mark. Empty is returned if it names no line that the model has read
 */
export function citedText(page: string, place: string): string {
  const [, first, last = first] = PLACE.exec(place) ?? []
  if (first === undefined) return ''
  let quote = ''
  for (const line of page.split('\n')) {
    const [, number, text = ''] = NUMBERED.exec(line) ?? []
    if (number === undefined || Number(number) < Number(first)) continue
    if (Number(number) > Number(last) || quote.length > MAX_QUOTE) break
    quote = [quote, text.trim()].filter((part) => part !== '').join(' ')
  }
  const readable = quote.replace(LINK, '$1')
  // No half of a character.
  return readable.slice(0, MAX_QUOTE).replace(/[\ud800-\udbff]$/, '')
}
