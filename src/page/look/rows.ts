import { isEscaped } from '../parts/shown-text.js'

/** The most rows that are laid out: browsers cannot scroll over many more. */
export const MAX_ROWS = 500_000

/** Rows of texts, each of which begins in the text `texts[row]` at `offsets[row]`. The last of both is the end. */
export interface Rows {
  readonly count: number
  readonly texts: readonly number[]
  readonly offsets: readonly number[]
}

/** The part of a text that stands in a row. Positions are those of UTF-16. */
export interface Piece {
  readonly text: number
  readonly start: number
  readonly end: number
}

type Texts = readonly { readonly text: string }[]

/** Lays texts out one behind the other. A text that no longer fits begins a row, and a line feed ends one. */
export function layOut(list: Texts, columns: number): Rows {
  const texts: number[] = []
  const offsets: number[] = []
  let room = 0
  for (const [index, { text }] of list.entries()) {
    for (let from = 0; from < text.length; ) {
      if (room <= 0) {
        texts.push(index)
        offsets.push(from)
        if (texts.length > MAX_ROWS) return { count: MAX_ROWS, texts, offsets }
        room = columns
      }
      const { end, width, isAll } = fitting(text, from, room)
      if (!isAll && room < columns) room = 0
      else {
        room = isAll ? room - width : 0
        from = isAll ? end : behindSpace(text, from, end)
      }
    }
  }
  return { count: texts.length, texts: [...texts, list.length], offsets: [...offsets, 0] }
}

/** Returns what stands in a row. */
export function piecesOf({ texts, offsets }: Rows, row: number, list: Texts): Piece[] {
  const [first = 0, last = 0] = texts.slice(row, row + 2)
  const pieces: Piece[] = []
  for (let text = first; text <= last && text < list.length; text++) {
    const start = text === first ? (offsets[row] ?? 0) : 0
    const end = text === last ? (offsets[row + 1] ?? 0) : (list[text]?.text.length ?? 0)
    if (end > start) pieces.push({ text, start, end })
  }
  return pieces
}

/** Returns the row in which a text begins. */
export function rowOf({ count, texts, offsets }: Rows, text: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const row = (low + high) >> 1
    const begins = texts[row] ?? 0
    if (begins < text || (begins === text && offsets[row] === 0)) low = row + 1
    else high = row
  }
  return Math.max(0, low - 1)
}

/** Returns how far a text fits, at least by a character; `isAll`: to its end, or behind its next line feed. */
function fitting(text: string, from: number, room: number): { end: number; width: number; isAll: boolean } {
  let width = 0
  let end = from
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    if (code === 0x0a) return { end: end + 1, width: Number.POSITIVE_INFINITY, isAll: true }
    const next = end + (code > 0xffff ? 2 : 1)
    width += columnsOf(code)
    if (width > room) return { end: end === from ? next : end, width, isAll: false }
    end = next
  }
  return { end, width, isAll: true }
}

/** The columns of a tab, at most. */
const TAB = 8

/** Letters of China, Japan and Korea, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** How many columns a character takes about: a row that is too long wraps. */
function columnsOf(code: number): number {
  if (code >= 0x20 && code < 0x7f) return 1
  if (code === 0x09) return TAB
  const character = String.fromCodePoint(code)
  if (isEscaped(character)) return 'U+'.length + Math.max(4, code.toString(16).length)
  return code >= 0x20_000 || WIDE.test(character) ? 2 : 1
}

/** Returns where a line is cut: behind its last space, if it has any. */
function behindSpace(text: string, from: number, end: number): number {
  const space = text.lastIndexOf(' ', end - 1)
  return space > from ? space + 1 : end
}
