import type { Slices, Work } from './slices.js'

/** The longest text that is parsed at once, in characters, and the shortest piece of a longer one. */
const WHOLE = 262_144
const PIECE = 65_536
/** How many characters are parsed, and searched for places to cut, in the time that encoding one takes. */
const PARSED = 16
const SEARCHED = 128

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_FIELDS, CLOSE_FIELDS] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Parses JSON as `JSON.parse` does, which takes 150 ms for half a million values: a long text is cut between entries of its
 * lists and objects, and other work can run between two pieces. Only a long string is one piece, whatever its length.
 *
 * @param piece - the shortest piece, of a text longer than `whole`
 * @throws SyntaxError
 */
export function* parseJson(
  text: string,
  work: Work,
  { whole = WHOLE, piece = PIECE }: { readonly whole?: number; readonly piece?: number } = {},
): Slices<unknown> {
  if (text.length <= whole) return JSON.parse(text)
  const pieces = new Pieces(text, work)
  let isInString = false
  let stringStart = 0
  /** The last character outside of a string that is not blank. */
  let last = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) {
        isInString = false
        pieces.string(stringStart, at + 1)
      }
    } else {
      if (code === QUOTE) {
        isInString = true
        stringStart = at
      } else if (code === COLON) pieces.colon()
      else if (code === OPEN_LIST || code === OPEN_FIELDS) pieces.open(code === OPEN_LIST)
      else if (code === CLOSE_LIST || code === CLOSE_FIELDS) pieces.close(code === CLOSE_LIST, at)
      // What is opened and followed by a comma is wrong, and must not be closed here.
      else if (code === COMMA) pieces.comma(at, piece, last === OPEN_LIST || last === OPEN_FIELDS)
      if (code > 0x20) last = code
    }
    work.left -= 1 / SEARCHED
    if (work.left <= 0) yield* work.pause()
  }
  return pieces.end()
}

/** A list or an object that is not complete. */
interface Open {
  readonly isList: boolean
  /** Where the text has the name of its latest field. */
  nameStart: number
  nameEnd: number
}

/** One whose beginning has been parsed. */
interface Begun extends Open {
  readonly value: unknown[] | { [name: string]: unknown }
}

/** The pieces of a text, and the value that they become. */
class Pieces {
  readonly #text: string
  readonly #work: Work
  #root: unknown
  /** Those that are cut, each within the one before. The next piece has entries of the last one. */
  readonly #begun: Begun[] = []
  /** Those that the next piece opens. */
  #opened: Open[] = []
  #start = 0
  /** Whether something was just closed, so that no entry may follow without a comma. */
  #isAfterEntry = false
  #stringStart = 0
  #stringEnd = 0

  constructor(text: string, work: Work) {
    this.#text = text
    this.#work = work
  }

  string(start: number, end: number): void {
    this.#stringStart = start
    this.#stringEnd = end
  }

  /** The latest string is a name. */
  colon(): void {
    const inner = this.#opened.at(-1) ?? this.#begun.at(-1)
    if (inner === undefined) return
    inner.nameStart = this.#stringStart
    inner.nameEnd = this.#stringEnd
  }

  open(isList: boolean): void {
    this.#opened.push({ isList, nameStart: 0, nameEnd: 0 })
  }

  close(isList: boolean, at: number): void {
    if (this.#opened.pop() !== undefined) return
    if (this.#begun.at(-1)?.isList !== isList) throw new SyntaxError('a bracket that closes nothing')
    this.#cut(at)
    this.#begun.pop()
    this.#isAfterEntry = true
  }

  comma(at: number, piece: number, isFirst: boolean): void {
    if (this.#opened.length === 0 && this.#begun.length === 0) throw new SyntaxError('a comma outside of all')
    if (!this.#isAfterEntry && (isFirst || at - this.#start < piece)) return
    this.#cut(at)
    this.#isAfterEntry = false
  }

  end(): unknown {
    // Nothing was cut.
    if (this.#root === undefined) return JSON.parse(this.#text)
    const isBlank = BLANK.test(this.#text.slice(this.#start))
    if (this.#begun.length > 0 || !isBlank) throw new SyntaxError('the text does not end with its value')
    return this.#root
  }

  /** Parses what precedes a comma or a bracket. */
  #cut(at: number): void {
    const body = this.#text.slice(this.#start, at)
    this.#start = at + 1
    const isBlank = BLANK.test(body)
    // An entry after each comma, and nothing else after an entry.
    if (isBlank !== this.#isAfterEntry) throw new SyntaxError('a comma too many or too few')
    if (!isBlank) this.#parse(body)
  }

  #parse(body: string): void {
    this.#work.left -= body.length / PARSED
    const outer = this.#begun.at(-1)
    let inner = outer
    let closing = ''
    for (const { isList } of this.#opened) closing = (isList ? ']' : '}') + closing
    if (outer === undefined) this.#root = JSON.parse(body + closing)
    else if (outer.isList) {
      for (const entry of JSON.parse(`[${body}${closing}]`)) (outer.value as unknown[]).push(entry)
    } else addFields(outer.value as object, JSON.parse(`{${body}${closing}}`))
    for (const opened of this.#opened) {
      const value = inner === undefined ? this.#root : this.#latestOf(inner)
      inner = { ...opened, value: value as Begun['value'] }
      this.#begun.push(inner)
    }
    this.#opened = []
  }

  #latestOf({ value, isList, nameStart, nameEnd }: Begun): unknown {
    if (isList) return (value as unknown[]).at(-1)
    return (value as { [name: string]: unknown })[JSON.parse(this.#text.slice(nameStart, nameEnd))]
  }
}

const BLANK = /^[ \t\n\r]*$/

function addFields(fields: object, more: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(more)) {
    // An assignment would set the prototype.
    if (name !== '__proto__') (fields as { [name: string]: unknown })[name] = value
    else Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
  }
}
