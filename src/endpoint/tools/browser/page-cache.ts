import type { Page } from './page.js'

/** Pages that were loaded, the latest ones up to a size: those that a model scrolls, searches and follows links of. */
export interface PageCache {
  get(key: string): Page | undefined
  set(key: string, page: Page): void
}

/** What a line and a link cost beside their characters, in bytes. */
const OVERHEAD = 32

/** @param maxBytes - of all pages together; a larger page is not kept */
export function createPageCache(maxBytes: number): PageCache {
  const pages = new Map<string, Page>()
  let bytes = 0

  function drop(key: string): void {
    const page = pages.get(key)
    if (page === undefined) return
    pages.delete(key)
    bytes -= sizeOf(page)
  }

  return {
    get(key) {
      const page = pages.get(key)
      if (page !== undefined) {
        pages.delete(key)
        pages.set(key, page)
      }
      return page
    },
    set(key, page) {
      drop(key)
      const size = sizeOf(page)
      if (size > maxBytes) return
      pages.set(key, page)
      bytes += size
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
    },
  }
}

function sizeOf({ url, title, lines, links }: Page): number {
  let characters = url.length + title.length
  for (const line of lines) characters += line.length
  for (const link of links) characters += link.url.length + link.text.length
  return 2 * characters + OVERHEAD * (lines.length + links.length)
}
