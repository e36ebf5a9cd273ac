/**
 * A conversation that was compacted while it went on: what the model reads in the place of all that was said before. It is
 * the text that the item's seal holds, so that a client may drop or keep the items in front of it, as with OpenAI's.
 */
export interface CompactedWindow {
  /** What the user said that is not answered yet, and that the model had read. */
  readonly before: readonly string[]
  readonly summary: string
  /** What the user said that the model had not read. */
  readonly after: readonly string[]
}

/** What the text of a window begins with. */
const MARK = 'harmony-responses/window '

export function writeWindow({ before, summary, after }: CompactedWindow): string {
  return MARK + JSON.stringify({ before, summary, after })
}

/**
 * The text to seal of a summary that stands for what a client leaves out. Models write summaries: none of them may be
 * read as a window, which has what stands in front of it left out.
 */
export function writeSummary(summary: string): string {
  return summary.startsWith(MARK) ? ` ${summary}` : summary
}

/** Undefined if the text is a summary, or anything else that {@link writeWindow} did not write. */
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
