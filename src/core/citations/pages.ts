import { citableFiles } from '../recipients/builtins/file-search.js'
import type { CitableFiles, CitedPage } from '../responses/call-result.js'
import type { FileSearchResult } from '../responses/items.js'

/** The sources that the model has seen so far and may cite: pages of its browser, and files. Plain JSON. */
export interface CitablePages {
  /** The pages by their cursors, the numbers by which the model cites them. */
  byCursor: { [cursor: string]: CitedPage }
  /** The pages by address with an `@` in front, so that no key collides with an inherited property. */
  byUrl: { [atUrl: string]: CitedPage }
  /** Address of the last page, the default of calls without a cursor; empty if unknown. */
  current: string
  /** The files by the marks of their passages; absent before the first file search of the conversation. */
  files?: CitableFiles
}

/** The state of a translator, and the options with the pages and files of earlier responses. */
interface PagesContext {
  readonly state: { pages: CitablePages | null }
  readonly options: { readonly knownFiles?: CitableFiles; readonly knownPages?: readonly CitedPage[] }
}

/** Returns the sources of a response so far. */
export function pagesOf({ state, options: { knownFiles, knownPages = [] } }: PagesContext): CitablePages {
  if (state.pages === null) {
    state.pages = { ...createPages(), ...(knownFiles && { files: knownFiles }) }
    for (const page of knownPages) showPage(state.pages, page)
  }
  return state.pages
}

export function createPages(): CitablePages {
  return { byCursor: {}, byUrl: {}, current: '' }
}

export function showPage(pages: CitablePages, page: CitedPage): void {
  pages.current = page.url
  pages.byCursor[page.cursor] = page
  pages.byUrl[`@${page.url}`] = page
}

/** Records the files that the model can cite. @param callId - the search's item */
export function showFiles(context: PagesContext, callId: string, files: readonly FileSearchResult[]): void {
  const pages = pagesOf(context)
  pages.files = { ...pages.files, ...citableFiles(files, callId) }
}

/** Matches the first line of a page in gpt-oss's browser tool: `[3] Title (https://example.com/page)`. */
const HEADING = /^\[(\d+)\] (.*) \((\w[\w:+.-]*:\/\/.+)\)$/

/** Limits the search for a heading in a page without line breaks. The tool cuts addresses at 1024 characters. */
const MAX_HEADING_LENGTH = 4096

/** Returns the page in a browser's output, if its first line is a heading. */
export function pageIn(output: string): CitedPage | undefined {
  const [line = '', ...rest] = output.slice(0, MAX_HEADING_LENGTH).split(/\r?\n/, 2)
  if (rest.length === 0 && output.length > MAX_HEADING_LENGTH) return undefined
  const [, cursor, title = '', url = ''] = HEADING.exec(line) ?? []
  return cursor === undefined ? undefined : { cursor: Number(cursor), url, title }
}

/** Returns the last page that was shown at this address. */
export function pageAt(url: string, pages: CitablePages): CitedPage | undefined {
  return pages.byUrl[`@${url}`]
}
