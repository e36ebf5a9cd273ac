import type { CitedPage } from '../../../core/responses/call-result.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { searchedUrl } from '../../tools/browser/find-in-page.js'
import { shownPages } from '../../tools/browser/shown-pages.js'
import { earlierResults } from '../calls/earlier-results.js'

/** The maximum number of pages of earlier responses that can be cited: the latest ones. */
const MAX_KNOWN = 1_000

/**
 * Returns the pages in a prompt, in the order in which the browser showed them: the model may cite in each answer what it
 * has read in an earlier one.
 */
export function knownPages(prompt: ArrayLike<number>, tokenTable: TokenTable): readonly CitedPage[] | undefined {
  const shown = shownPages(earlierResults(prompt, tokenTable)).slice(-MAX_KNOWN)
  const titles = new Map(shown.map(({ url, title }) => [url, title]))
  // What was found in a page is cited as that page.
  const pages = shown.map(({ cursor, url, title }) => {
    const page = searchedUrl(url)
    return { cursor, url: page ?? url, title: page === undefined ? title : (titles.get(page) ?? '') }
  })
  return pages.length === 0 ? undefined : pages
}
