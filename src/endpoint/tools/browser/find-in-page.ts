import type { Page } from './page.js'

/** The maximum number of matches, and the lines that are shown of each: facts of the format. */
const MAX_MATCHES = 50
const LINES = 4

const LINK = /【\d+†([^†】]*)(?:†[^】]*)?】/g

/**
 * Returns the page of what was found. Its links lead to the lines of the page itself.
 *
 * @param pattern - matched without regard to case, within a line
 */
export function findInPage(page: Page, pattern: string): Page {
  const lower = pattern.toLowerCase()
  // Across lines: a link may be wrapped.
  const lines = page.lines.join('\n').replace(LINK, '$1').split('\n')
  const shown: string[] = []
  const links: Page['links'][number][] = []
  for (let at = 0; at < lines.length && links.length < MAX_MATCHES; at++) {
    if (!lines[at]?.toLowerCase().includes(lower)) continue
    if (shown.length > 0) shown.push('')
    shown.push(`# 【${links.length}†match at L${at}】`)
    for (const line of lines.slice(at, at + LINES)) shown.push(line)
    links.push({ url: page.url, text: `match at L${at}` })
    at += LINES - 1
  }
  return {
    url: findUrl(page.url, lower),
    title: `Find results for text: \`${lower}\` in \`${page.title}\``,
    lines: links.length > 0 ? shown : [`No \`find\` results for pattern: \`${lower}\``],
    links,
  }
}

const FIND = '/find?pattern='

function findUrl(url: string, pattern: string): string {
  return `${url}${FIND}${encodeURIComponent(pattern)}`
}

/** Returns the address of the page that was searched; undefined if it is not that of results. */
export function searchedUrl(url: string): string | undefined {
  const at = url.lastIndexOf(FIND)
  return at === -1 ? undefined : url.slice(0, at)
}

/** Returns the line of a match, from the text that the model has read. */
export function lineOfMatch(shown: string, id: number): number | undefined {
  const [, line] = new RegExp(`【${id}†match at L(\\d{1,9})】`).exec(shown) ?? []
  return line === undefined ? undefined : Number(line)
}
