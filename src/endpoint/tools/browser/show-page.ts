import { ToolError } from '../tool-error.js'
import type { Page } from './page.js'

/** The part of a page to show. */
export interface View {
  /** The index of its first line. */
  readonly from: number
  /** The number of lines; as many as fit if absent. */
  readonly count?: number
  /** The maximum length of the lines together, in UTF-16 units. At least one line is shown. */
  readonly maxLength: number
}

/**
 * Renders a page as the model was trained to read it: the cursor by which it can cite the page, its title and address,
 * and numbered lines.
 *
 * @throws ToolError if the page does not have the line
 */
export function showPage(page: Page, cursor: number, { from, count, maxLength }: View): string {
  const last = page.lines.length - 1
  if (from > last) {
    throw new ToolError(`Invalid location parameter: \`${from}\`. Cannot exceed page maximum of ${last}.`)
  }
  const shown: string[] = []
  let length = 0
  for (const [index, line] of page.lines.slice(from, from + (count ?? page.lines.length)).entries()) {
    const numbered = `L${from + index}: ${line}`
    length += numbered.length + 1
    if (length > maxLength && shown.length > 0) break
    shown.push(numbered)
  }
  return [
    headingOf(page, cursor),
    `**viewing lines [${from} - ${from + shown.length - 1}] of ${last}**`,
    '',
    ...shown,
  ].join('\n')
}

function headingOf({ title, url }: Page, cursor: number): string {
  return url === '' ? `[${cursor}] ${title}` : `[${cursor}] ${title} (${url})`
}
