import { type CitablePages, pageAt, pageIn, pagesOf, showPage } from '../../citations/pages.js'
import { listOf } from '../../options/check-list.js'
import { checkPages } from '../../options/check-pages.js'
import type { Arguments } from '../../recipients/arguments.js'
import { copyOf } from '../../responses/copy-of.js'
import type { WebSearchAction } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { argumentsOf } from '../parts/arguments-of.js'

/*
 * web_search_call: browser.search, browser.open or browser.find, run by the host
 *
 *     output_item.added               with the type of action; its arguments are not known yet
 *       web_search_call.in_progress
 *       web_search_call.searching     at the terminator
 *       web_search_call.completed     not before the result
 *     output_item.done
 *
 * The API has no `.failed` event for it: only the status of the done item says "failed".
 */

export interface WebSearchCall extends ItemState {
  type: 'web_search_call'
  action: WebSearchAction
}

/** The `include` value that requests the sources of a search. */
const SOURCES = 'web_search_call.action.sources'
/** That which adds their titles and the text of citations, which the API's own sources and citations do not have. */
const RESULTS = 'web_search_call.results'

/** Matches the heading of a page of search results, which has no address. */
const SEARCH_HEADING = /^\[\d+\] /

/** The main argument of each action. */
const MAIN = { search: 'query', open_page: 'id', find_in_page: 'pattern' } as const

export const webSearchCall: ItemKind<WebSearchCall> = {
  prefix: 'ws',
  result: 'completes',
  lists: { sources: listOf('url'), pages: (pages, what) => checkPages(pages, what, 'bad_result') },

  create: ({ action }) => ({ action: actionOf(action, '', '') }),

  finish(item, context) {
    const { type } = item.action
    item.action =
      argumentsOf(item, MAIN[type], (given) => requestedAction(type, given, pagesOf(context)), context) ?? item.action
  },

  resolve(item, result, context) {
    const { action } = item
    if (result === null) return
    const pages = pagesOf(context)
    const isWhole = context.includes(RESULTS)
    const page = pageIn(result.output ?? '')
    const shownPages = result.pages ?? (page === undefined ? [] : [page])
    // A citation of a find result refers to the page that was searched.
    const searched = action.type === 'find_in_page' ? pageAt(action.url, pages) : undefined
    if (page === undefined && SEARCH_HEADING.test(result.output ?? '')) pages.current = ''
    for (const { text = result.output, ...page } of shownPages) {
      showPage(pages, { ...page, ...searched, cursor: page.cursor, ...(isWhole && text !== undefined && { text }) })
    }
    if (action.type === 'open_page') action.url ||= shownPages.at(-1)?.url ?? ''
    if (action.type === 'search' && context.includes(SOURCES)) {
      action.sources = (result.sources ?? []).map(({ url, title }) => ({
        ...{ type: 'url', url },
        ...(isWhole && title && { title }),
      }))
    }
  },

  wire: (item) => ({ action: copyOf(item.action) }),
}

/** Returns the action that the arguments request, parsed as gpt-oss's own browser tool parses them. */
function requestedAction(
  type: WebSearchAction['type'],
  given: Arguments,
  pages: CitablePages,
): WebSearchAction | undefined {
  const { id = isScroll(given) ? -1 : undefined, cursor } = given
  const main = given[MAIN[type]]
  const page = typeof cursor === 'number' && cursor >= 0 ? (pages.byCursor[cursor]?.url ?? '') : pages.current
  if (typeof main === 'string') return actionOf(type, main, page)
  // A link's number does not reveal its address: the result will.
  if (type !== 'open_page' || typeof id !== 'number') return undefined
  return actionOf(type, id < 0 ? page : '', page)
}

/** Whether the call has no link: the browser then scrolls its current page. */
function isScroll(given: Arguments): boolean {
  return 'cursor' in given || 'loc' in given || Object.keys(given).length === 0
}

function actionOf(type: WebSearchAction['type'], main: string, page: string): WebSearchAction {
  if (type === 'search') return { type, query: main }
  return type === 'open_page' ? { type, url: main } : { type, pattern: main, url: page }
}
