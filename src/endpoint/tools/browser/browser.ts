import type { CallResult } from '../../../core/responses/call-result.js'
import type { WebSearchAction } from '../../../core/responses/items.js'
import { check } from '../../../shared/errors.js'
import { shortened } from '../../../shared/shortened.js'
import { sha256 } from '../../../shared/system/sha256.js'
import type { ExpiringBytes } from '../../flow/expiring-bytes.js'
import type { ToolContext } from '../tool.js'
import { ToolError } from '../tool-error.js'
import { type BrowserArguments, readArguments } from './browser-arguments.js'
import { findInPage, lineOfMatch, searchedUrl } from './find-in-page.js'
import { MAX_URL, type Page, sizeOf } from './page.js'
import type { WebSearchResult } from './search-backend.js'
import { searchPage } from './search-page.js'
import { showPage } from './show-page.js'
import { isShownAs, type ShownPage, shownPages } from './shown-pages.js'

export interface BrowserOptions {
  readonly cache: ExpiringBytes<Page>
  /** @throws ToolError */
  readonly load: (url: string) => Promise<Page>
  readonly search: (query: string) => Promise<readonly WebSearchResult[]>
  readonly isAllowed: (url: URL) => boolean
  readonly maxResults: number
  readonly maxViewLength: number
}

/** The lines before a match that are shown with it. */
const LINES_BEFORE = 4

/** The browser of one call, whose state is what the model has read. */
export class Browser {
  readonly #context: ToolContext
  readonly #options: BrowserOptions
  readonly #shown: readonly ShownPage[]
  /** The pages of this call, by address or query, which are kept for the conversation. */
  readonly #used = new Map<string, Page>()

  constructor(context: ToolContext, options: BrowserOptions) {
    this.#context = context
    this.#options = options
    this.#shown = shownPages(context.earlierResults())
  }

  /** @throws ToolError what the model reads */
  async run(action: WebSearchAction['type']): Promise<CallResult> {
    const result = await this.#act(action)
    const { cache } = this.#options
    for (const [name, page] of this.#used) {
      cache.keep(await this.#keyOf(name, this.#first ?? result.output), page, sizeOf(page))
    }
    return result
  }

  #act(action: WebSearchAction['type']): Promise<CallResult> {
    if (action === 'search') return this.#search(readArguments(this.#context.text, 'query'))
    if (action === 'open_page') return this.#open(readArguments(this.#context.text, 'id'))
    return this.#find(readArguments(this.#context.text, 'pattern'))
  }

  async #search({ main: query }: BrowserArguments): Promise<CallResult> {
    if (query.trim() === '') throw new ToolError('The query is empty.')
    const page = await this.#resultsOf(query)
    return { output: this.#show(page, 0), sources: page.links.map(({ url, text }) => ({ url, title: text })) }
  }

  async #open({ id, cursor, loc, lines }: BrowserArguments): Promise<CallResult> {
    const target = typeof id === 'string' ? { url: id } : await this.#targetOf(id, cursor)
    const page = 'page' in target ? target.page : await this.#pageAt(target.url)
    const match = 'line' in target && target.line !== undefined ? Math.max(0, target.line - LINES_BEFORE) : 0
    return { output: this.#show(page, loc < 0 ? match : loc, lines < 1 ? undefined : lines) }
  }

  async #find({ main: pattern, cursor }: BrowserArguments): Promise<CallResult> {
    const shown = this.#shownAt(cursor)
    if (shown.url === '' || searchedUrl(shown.url) !== undefined) {
      throw new ToolError('Cannot run `find` on search results page or find results page')
    }
    const page = await this.#pageAt(shown.url)
    return { output: this.#show(findInPage(page, pattern), 0) }
  }

  /** Returns what a link of a page leads to; of a negative id, the page itself. */
  async #targetOf(
    id: number,
    cursor: number,
  ): Promise<{ readonly url: string; readonly line?: number | undefined } | { readonly page: Page }> {
    const shown = this.#shownAt(cursor)
    const searched = searchedUrl(shown.url)
    if (searched !== undefined) {
      if (id < 0) return { url: searched }
      const line = lineOfMatch(shown.text, id)
      if (line === undefined) throw new ToolError(`Invalid link id \`${id}\`.`)
      return { url: searched, line }
    }
    const page = shown.url === '' ? await this.#resultsOf(shown.title) : await this.#pageAt(shown.url)
    if (id < 0) return { page }
    const link = page.links[id]
    if (link === undefined) throw new ToolError(`Invalid link id \`${id}\`.`)
    if (!isShownAs(shown.text, id, link.text)) {
      throw new ToolError(`The page has changed since it was shown: link \`${id}\` is now \`${shortened(link.text)}\`.`)
    }
    return { url: link.url }
  }

  #shownAt(cursor: number): ShownPage {
    const latest = this.#shown.at(-1)
    if (latest === undefined) throw new ToolError('No pages to access!')
    const page = cursor < 0 ? latest : this.#shown.findLast((one) => one.cursor === cursor)
    if (page !== undefined) return page
    throw new ToolError(
      `Cursor \`${cursor}\` is out of range. Available cursor indices: [0 - ${this.#nextCursor - 1}].`,
    )
  }

  async #pageAt(url: string): Promise<Page> {
    const known = this.#shown.some((one) => one.url === url) ? await this.#known(url) : undefined
    const page = known ?? (await this.#options.load(url))
    this.#used.set(page.url, page)
    return page
  }

  async #resultsOf(query: string): Promise<Page> {
    const name = `?${query}`
    const known = this.#shown.some(({ url, title }) => url === '' && title === query)
    const page = (known ? await this.#known(name) : undefined) ?? (await this.#searched(query))
    this.#used.set(name, page)
    return page
  }

  async #searched(query: string): Promise<Page> {
    const { search, isAllowed, maxResults } = this.#options
    const found = await search(query)
    check(Array.isArray(found), 'results', 'an array', found)
    return searchPage(query, found.filter(isUsable(isAllowed)).slice(0, maxResults))
  }

  /** Returns a page as this conversation has read it. */
  async #known(name: string): Promise<Page | undefined> {
    return this.#options.cache.get(await this.#keyOf(name, this.#first))
  }

  /** What the model has read first, which tells conversations apart. */
  get #first(): string | undefined {
    return this.#shown[0]?.text
  }

  async #keyOf(name: string, first = ''): Promise<string> {
    return JSON.stringify([this.#context.owner, await sha256(first), name])
  }

  #show(page: Page, from: number, count?: number): string {
    const { maxViewLength: maxLength } = this.#options
    return showPage(page, this.#nextCursor + this.#running, { from, maxLength, ...(count !== undefined && { count }) })
  }

  get #nextCursor(): number {
    return this.#shown.reduce((most, { cursor }) => Math.max(most, cursor + 1), 0)
  }

  /** How many calls of the browser may show pages before this one does. */
  get #running(): number {
    return this.#context.before.filter(({ type }) => type === 'web_search_call').length
  }
}

/** Whether a result can be shown. */
function isUsable(isAllowed: (url: URL) => boolean): (result: WebSearchResult) => boolean {
  return ({ url, title, snippet }) => {
    if (![url, title, snippet].every((text) => typeof text === 'string')) return false
    if (url.length > MAX_URL || !URL.canParse(url)) return false
    const parsed = new URL(url)
    return /^https?:$/.test(parsed.protocol) && isAllowed(parsed)
  }
}
