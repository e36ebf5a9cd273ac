/** A page as the model reads it. */
export interface Page {
  /** Its address; empty for the results of a search. */
  readonly url: string
  readonly title: string
  /** Its lines, with links as `【id†text】`. None is longer than {@link LINE_LENGTH}. */
  readonly lines: readonly string[]
  /** Its links by their ids. */
  readonly links: readonly Link[]
}

/** A link of a page. */
export interface Link {
  readonly url: string
  /** What the page says for it, as the model reads it. */
  readonly text: string
}

/** The length of a line in UTF-16 units: a fact of the format, on which the line numbers of citations depend. */
export const LINE_LENGTH = 80

/** The maximum length of an address in UTF-16 units: a longer one is neither opened nor a link. */
export const MAX_URL = 2_048

/** What a line and a link cost beside their characters, in bytes. */
const OVERHEAD = 32

/** Returns how many bytes a page takes. */
export function sizeOf({ url, title, lines, links }: Page): number {
  let characters = url.length + title.length
  for (const line of lines) characters += line.length
  for (const link of links) characters += link.url.length + link.text.length
  return 2 * characters + OVERHEAD * (lines.length + links.length)
}
