import type { CitedPage } from '../../../core/responses/call-result.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { searchedUrl } from '../../tools/browser/find-in-page.js'
import { type ShownPage, shownPages } from '../../tools/browser/shown-pages.js'
import { earlierResults } from '../calls/earlier-results.js'

/** The maximum number of pages of earlier responses that can be cited: the latest ones. */
const MAX_KNOWN = 1_000
/** The maximum length of all of their text that is kept to quote from, in UTF-16 units: that of the latest ones. */
const MAX_TEXT = 262_144

/**
 * Returns the pages in a prompt, in the order in which the browser showed them: the model may cite in each answer what it
 * has read in an earlier one.
 *
 * @param isQuoted - whether their text is wanted, too
 */
export function knownPages(
  prompt: ArrayLike<number>,
  tokenTable: TokenTable,
  isQuoted: boolean,
): readonly CitedPage[] | undefined {
  const shown = shownPages(earlierResults(prompt, tokenTable)).slice(-MAX_KNOWN)
  const titles = new Map(shown.map(({ url, title }) => [url, title]))
  let room = isQuoted ? MAX_TEXT : 0
  const hasNoRoom = ({ text }: ShownPage): boolean => {
    room -= text.length
    return room < 0
  }
  const quotedFrom = shown.findLastIndex(hasNoRoom) + 1
  // What was found in a page is cited as that page.
  const pages = shown.map(({ cursor, url, title, text }, at) => {
    const page = searchedUrl(url)
    const cited = { cursor, url: page ?? url, title: page === undefined ? title : (titles.get(page) ?? '') }
    return { ...cited, ...(at >= quotedFrom && { text }) }
  })
  return pages.length === 0 ? undefined : pages
}
