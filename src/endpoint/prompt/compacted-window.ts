/**
 * The text that replaces earlier items in a conversation that was compacted during a response. The item's seal contains
 * it, so that a client may drop or keep the items before it, as with OpenAI's.
 */
export interface CompactedWindow {
  /** Messages of the user that are not answered yet, and that the model had read. */
  readonly before: readonly string[]
  readonly summary: string
  /** Messages of the user that the model had not read. */
  readonly after: readonly string[]
}

/** The prefix of a window's text. */
const MARK = 'harmony-responses/window '

export function writeWindow({ before, summary, after }: CompactedWindow): string {
  return MARK + JSON.stringify({ before, summary, after })
}

/**
 * Returns the text to seal for a summary that replaces items which a client leaves out. Models write summaries, so none
 * may be parsed as a window: a window drops all items before it.
 */
export function writeSummary(summary: string): string {
  return summary.startsWith(MARK) ? ` ${summary}` : summary
}

/** Parses the text of a window; undefined for a summary, or any other text that {@link writeWindow} did not write. */
export function readWindow(text: string): CompactedWindow | undefined {
  if (!text.startsWith(MARK)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text.slice(MARK.length))
  } catch {
    return undefined
  }
  const { before, summary, after } = Object(value) as { readonly [field: string]: unknown }
  return areTexts(before) && typeof summary === 'string' && areTexts(after) ? { before, summary, after } : undefined
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
