import type { Slices, Work } from '../../../shared/slices.js'
import { LINE_LENGTH } from './page.js'

/**
 * Splits a text into lines of at most {@link LINE_LENGTH}, as Python's `textwrap` does when it keeps whitespace: the
 * numbers of lines, which the model cites, depend on it. Source: gpt-oss's browser tool.
 */
export function* wrapInSlices(text: string, work: Work): Slices<string[]> {
  const lines: string[] = []
  for (let from = 0; from <= text.length; ) {
    const found = text.indexOf('\n', from)
    const end = found === -1 ? text.length : found
    if (end - from <= LINE_LENGTH) lines.push(text.slice(from, end))
    else yield* wrapLine(text.slice(from, end), lines, work)
    work.left -= end - from + 1
    if (work.left <= 0) yield* work.pause()
    from = end + 1
  }
  return lines
}

function* wrapLine(line: string, lines: string[], work: Work): Slices<void> {
  let current = ''
  for (const part of partsOf(line)) {
    let rest = part
    if (rest.length > LINE_LENGTH) {
      // A long word fills the line that it begins in.
      while (current.length + rest.length > LINE_LENGTH) {
        const end = breakOf(rest, LINE_LENGTH - current.length)
        lines.push(current + rest.slice(0, end))
        current = ''
        rest = rest.slice(end)
      }
    } else if (current.length + rest.length > LINE_LENGTH) {
      lines.push(current)
      current = ''
    }
    current += rest
    work.left -= part.length
    if (work.left <= 0) yield* work.pause()
  }
  if (current !== '') lines.push(current)
}

/** Words, whitespace, and the parts of hyphenated words. */
const PARTS = /\s+|[^\s]+/g
const HYPHEN = /(?<=[\p{L}\p{N}_]\p{L})-(?=[\p{L}\p{N}_]\p{L})/gu

function* partsOf(line: string): Generator<string> {
  for (const [part] of line.matchAll(PARTS)) {
    let from = 0
    for (const { index } of part.includes('-') ? part.matchAll(HYPHEN) : []) {
      yield part.slice(from, index + 1)
      from = index + 1
    }
    yield part.slice(from)
  }
}

/** Returns where a long word breaks: after its last hyphen that fits, or where the line is full. */
function breakOf(word: string, space: number): number {
  const hyphen = word.lastIndexOf('-', space - 1)
  return hyphen > 0 && /[^-]/.test(word.slice(0, hyphen)) ? hyphen + 1 : space
}
