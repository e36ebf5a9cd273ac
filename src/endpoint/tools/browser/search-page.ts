import { atOnce, createWork } from '../../../shared/slices.js'
import { cleanLinkText, cleanText } from './clean-text.js'
import type { Page } from './page.js'
import type { WebSearchResult } from './search-backend.js'
import { wrapInSlices } from './wrap.js'

/** Returns the page of a search's results, whose links lead to the pages. */
export function searchPage(query: string, results: readonly WebSearchResult[]): Page {
  const links = results.map(({ url, title }) => ({ url, text: cleanLinkText(title) || new URL(url).host }))
  const items = results.map(({ url, snippet }, id) => {
    const passage = cleanText(snippet).replace(/\s+/g, ' ').trim()
    return `  * 【${id}†${links[id]?.text}†${new URL(url).host}】 ${passage}`.trimEnd()
  })
  const found = items.length > 0 ? items : ['No results found.']
  return {
    url: '',
    title: cleanText(query).replace(/\s+/g, ' ').trim(),
    lines: atOnce(wrapInSlices(['', 'URL: ', '# Search Results', '', ...found].join('\n'), createWork())),
    links,
  }
}
