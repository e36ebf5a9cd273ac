/** A page that the model's browser shows, by the number under which the model knows it. */
export interface CitedPage {
  readonly cursor: number
  readonly url: string
  /** Default: the page's domain. */
  readonly title?: string
}

/** What the model's browser has shown so far. Plain JSON. */
export interface Pages {
  byCursor: { [cursor: string]: CitedPage }
  /** The same by their addresses, behind an `@`, which keeps them from being names that every object inherits. */
  byUrl: { [atUrl: string]: CitedPage }
  /** Address of the one shown last, which a call means that names no cursor; empty where it is not known. */
  current: string
}

export function createPages(): Pages {
  return { byCursor: {}, byUrl: {}, current: '' }
}

export function showPage(pages: Pages, page: CitedPage): void {
  pages.current = page.url
  pages.byCursor[page.cursor] = page
  pages.byUrl[`@${page.url}`] = page
}

/** How the browser tool that gpt-oss was trained with heads what it shows: `[3] Title (https://example.com/page)`. */
const HEADING = /^\[(\d+)\] (.*) \((\w[\w:+.-]*:\/\/.+)\)$/

/** Nobody reads a whole page that is one line. The tool cuts its headings at 1024 characters of address. */
const LONGEST_HEADING = 4096

/** The page that a browser's answer shows, if its first line says which. */
export function pageIn(output: string): CitedPage | undefined {
  const [line = '', ...rest] = output.slice(0, LONGEST_HEADING).split(/\r?\n/, 2)
  if (rest.length === 0 && output.length > LONGEST_HEADING) return undefined
  const [, cursor, title = '', url = ''] = HEADING.exec(line) ?? []
  return cursor === undefined ? undefined : { cursor: Number(cursor), url, title }
}

/** The page of this address that was shown last. */
export function pageAt(url: string, pages: Pages): CitedPage | undefined {
  return pages.byUrl[`@${url}`]
}
