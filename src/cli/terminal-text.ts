/* Text for a terminal: nothing invisible, nothing that moves the cursor, and aligned columns. */

import { inspect, styleText } from 'node:util'

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u00a0]/gu
/** Matches text whose characters take one column each: ASCII, most of Latin, and typographic marks such as `…`. */
const NARROW = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/
const ZERO_WIDTH = /^[\p{Mn}\p{Me}]+$/u
const DOUBLE_WIDTH =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u

let segmenter: Intl.Segmenter | undefined

/** Created on demand: that takes 10 ms, and nearly all text is narrow. */
const graphemesOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Escapes characters that are invisible, move the cursor or change the colour. */
export function plain(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })
}

/** Quotes text like {@link plain}, as Node shows a string. */
export function visible(text: string): string {
  return plain(inspect(text, { breakLength: Number.POSITIVE_INFINITY }))
}

/** Quotes text like {@link visible}, but only the beginning of a long one. */
export function excerpt(text: string, maxLength: number): string {
  if (text.length <= maxLength) return visible(text)
  const beginning = visible(text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, ''))
  return `${beginning.slice(0, -1)}…${beginning.slice(-1)}`
}

/** Returns how many columns text takes. */
export function widthOf(text: string): number {
  // A shortcut for nearly all text: graphemes cost a hundred times as much.
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemesOf(text)) width += widthOfGrapheme(segment)
  return width
}

function widthOfGrapheme(grapheme: string): number {
  if (NARROW.test(grapheme)) return grapheme.length
  return DOUBLE_WIDTH.test(grapheme) ? 2 : ZERO_WIDTH.test(grapheme) ? 0 : 1
}

/** Text in so many columns at most, with an ellipsis where something is missing. */
export function clip(text: string, columns: number): string {
  return widthOf(text) <= columns ? text : `${head(text, columns - 1)}…`
}

/** Wraps text into lines of a width, between words if possible; all but the first are indented. */
export function wrap(text: string, columns: number, indent: number): string[] {
  if (widthOf(text) <= columns) return [text]
  const lines: string[] = []
  const room = (): number => (lines.length === 0 ? columns : columns - indent)
  let line = ''
  let width = 0
  for (const word of text.split(' ')) {
    const wide = widthOf(word)
    if (line === '') {
      line = word
      width = wide
    } else if (width + 1 + wide <= room()) {
      line += ` ${word}`
      width += 1 + wide
    } else {
      lines.push(line)
      line = word
      width = wide
    }
    while (width > room()) {
      const fitting = head(line, room())
      lines.push(fitting)
      line = line.slice(fitting.length)
      width = widthOf(line)
    }
  }
  lines.push(line)
  return lines.map((each, index) => (index === 0 ? each : ' '.repeat(indent) + each))
}

/** Returns as much of the text's beginning as fits, but at least one character. */
function head(text: string, columns: number): string {
  let width = 0
  for (const { segment, index } of graphemesOf(text)) {
    width += widthOfGrapheme(segment)
    if (width > columns && index > 0) return text.slice(0, index)
  }
  return text
}

export type Style = 'bold' | 'dim' | 'underline' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** Returns the text in a style, if the terminal has colours. */
export type Paint = (text: string, style: Style | readonly Style[] | undefined) => string

export function createPaint(hasColors: boolean): Paint {
  // The caller knows whether there are colours: newer Node versions would query standard output again.
  return (text, style) =>
    hasColors && style !== undefined && text !== ''
      ? styleText(style as Style | Style[], text, { validateStream: false })
      : text
}

/** The style of a place where something is wrong: underlined, in the colour of its severity. */
export function placeStyle(color: Style): readonly Style[] {
  return ['underline', color]
}
