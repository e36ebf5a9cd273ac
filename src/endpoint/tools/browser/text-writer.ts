const BLANKS = /[\t\n\v\f\r ]+/g
const WORD_END = /[\p{L}\p{N}_]$/u
const WORD_START = /^[\p{L}\p{N}_]/u

/** The maximum depth to which quotes are marked. */
const MAX_QUOTE = 20

/** Writes the text of a page: joins blanks, and makes breaks between blocks. */
export class TextWriter {
  readonly #pieces: string[] = []
  /** The index of the piece with the last text; -1 if a blank or a mark has followed. */
  #lastText = -1
  /** The breaks to write before the next piece. */
  #breaks = 0
  /** Whether the next break ends a row of a table. */
  #isRow = false
  #hasSpace = false
  #quotes = 0
  /** That of the last piece. */
  #quotesBefore = 0
  #isCode = false

  get text(): string {
    return this.#pieces.join('').trim()
  }

  /** @param isAfterTag - whether tags alone separate it from the text before: then two words do not become one */
  write(text: string, isAfterTag: boolean): void {
    if (text === '') return
    if (this.#isCode) this.#writeCode(text)
    else this.#writeText(text, isAfterTag)
  }

  #writeText(text: string, isAfterTag: boolean): void {
    let rest = text.replace(BLANKS, ' ')
    const last = this.#pieces[this.#lastText]
    if (isAfterTag && last !== undefined && WORD_END.test(last) && WORD_START.test(rest)) {
      this.#pieces[this.#lastText] = `${last} `
      this.#hasSpace = false
    }
    if (rest.startsWith(' ')) {
      this.#hasSpace = true
      rest = rest.slice(1)
      this.#lastText = -1
    }
    if (rest === '') return
    this.#put(rest)
    this.#lastText = this.#pieces.length - 1
  }

  /** Writes a mark of the format. */
  mark(mark: string): void {
    this.#put(mark)
  }

  /** Writes what is a part of the text beside it. */
  join(mark: string): void {
    this.#put(mark)
    this.#lastText = -1
  }

  /** Writes the mark of code within a line. */
  tick(): void {
    if (!this.#isCode) this.mark('`')
  }

  breakLine(): void {
    this.#breaks = Math.max(this.#breaks, 1)
  }

  breakBlock(): void {
    this.#breaks = 2
  }

  breakRow(): void {
    this.#isRow = true
    this.breakLine()
  }

  breakHard(): void {
    this.#pieces.push('  \n', prefixOf(this.#quotes))
    this.#hasSpace = false
  }

  /** Begins (1) or ends (-1) a quotation. */
  quote(change: 1 | -1): void {
    this.breakBlock()
    this.#quotes = Math.max(0, this.#quotes + change)
  }

  openCode(): void {
    this.breakBlock()
    this.#isCode = true
  }

  closeCode(): void {
    this.#isCode = false
    this.breakBlock()
  }

  #writeCode(text: string): void {
    // The blank of the next text may follow it.
    this.#put(this.#breaks > 0 || this.#pieces.length === 0 ? `    ${text}` : text, '    ')
    this.#lastText = this.#pieces.length - 1
  }

  #put(text: string, indent = ''): void {
    const before = prefixOf(Math.min(this.#quotesBefore, this.#quotes))
    const prefix = prefixOf(this.#quotes)
    if (this.#pieces.length === 0) this.#pieces.push(prefix)
    else if (this.#breaks > 0) {
      if (this.#isRow) this.#pieces.push('  ')
      // The blank line between two quotations belongs to the outer one.
      if (this.#breaks > 1) this.#pieces.push('\n', before)
      this.#pieces.push('\n', prefix)
    } else if (this.#hasSpace) this.#pieces.push(' ')
    this.#breaks = 0
    this.#isRow = false
    this.#hasSpace = false
    this.#quotesBefore = this.#quotes
    this.#pieces.push(indent === '' ? text : text.replaceAll('\n', `\n${prefix}${indent}`))
  }
}

function prefixOf(quotes: number): string {
  return quotes === 0 ? '' : `${'>'.repeat(Math.min(quotes, MAX_QUOTE))} `
}
