import type { EarlierResult } from '../tool.js'

/** A page in the model's context. */
export interface ShownPage {
  /** The number by which the model refers to it. */
  readonly cursor: number
  readonly title: string
  /** Empty for the results of a search, whose title is the query. */
  readonly url: string
  /** What the model has read of it. */
  readonly text: string
}

const BROWSER = 'browser.'
const HEADING = /^\[(\d{1,9})\] (.*)$/
const ADDRESS = /^(.*) \((\w[\w+.-]*:\/\/.*)\)$/

/** Returns the pages in the model's context, in the order in which it read them. */
export function shownPages(results: readonly EarlierResult[]): ShownPage[] {
  return results.flatMap(({ tool, text }) => {
    if (!tool.startsWith(BROWSER)) return []
    const [first = ''] = text.split('\n', 1)
    const [, cursor, heading = ''] = HEADING.exec(first) ?? []
    if (cursor === undefined) return []
    const [, title = heading, url = ''] = ADDRESS.exec(heading) ?? []
    return [{ cursor: Number(cursor), title, url, text }]
  })
}

/** Whether the model has read this text for a link: it may then follow it. A link may continue on the next line. */
export function isShownAs(shown: string, id: number, text: string): boolean {
  const mark = `【${id}†`
  const at = shown.indexOf(mark)
  // The part that it has read need not contain the link.
  if (at === -1) return true
  const [read = ''] = shown.slice(at + mark.length).split(/[†】\n]/, 1)
  return text.startsWith(read.trimEnd())
}
