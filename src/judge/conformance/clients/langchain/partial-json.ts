/** A value whose text has not begun before the end. */
const CUT = Symbol('cut')

/**
 * Parses JSON that may be cut off anywhere, as clients repair it: open strings, arrays and objects end with the text,
 * and a key without a value is left out. Undefined if the text has a syntax error before its end.
 */
export function partialJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Incomplete or invalid.
  }
  try {
    return new Reader(text.trim()).whole()
  } catch {
    return undefined
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): unknown {
    const value = this.#value()
    this.#space()
    if (!this.#isOver || value === CUT) throw new SyntaxError('no JSON')
    return value
  }

  get #isOver(): boolean {
    return this.#at >= this.#text.length
  }

  #space(): void {
    while (!this.#isOver && /\s/.test(this.#text[this.#at] as string)) this.#at++
  }

  /** Reads the character if it comes next. Returns whether it did. */
  #takes(character: string): boolean {
    const does = this.#text[this.#at] === character
    if (does) this.#at++
    return does
  }

  /** The next value; `CUT` at the end of the text. */
  #value(): unknown {
    this.#space()
    if (this.#isOver) return CUT
    const next = this.#text[this.#at] as string
    if (next === '{') return this.#object()
    if (next === '[') return this.#list()
    if (next === '"') return this.#string()
    return /[-\d]/.test(next) ? this.#number() : this.#word()
  }

  #word(): unknown {
    for (const [word, value] of [
      ['null', null],
      ['true', true],
      ['false', false],
    ] as const) {
      if (!word.startsWith(this.#text.slice(this.#at, this.#at + word.length))) continue
      this.#at += word.length
      return value
    }
    throw new SyntaxError('no value')
  }

  #number(): number {
    const [digits] = /^-?\d*(\.\d*)?([eE][-+]?\d*)?/.exec(this.#text.slice(this.#at)) ?? ['']
    if (/^-?0\d/.test(digits)) throw new SyntaxError('no number')
    this.#at += digits.length
    if (digits === '-') return -0
    const value = Number.parseFloat(digits)
    if (Number.isNaN(value)) throw new SyntaxError('no number')
    return value
  }

  #string(): string {
    this.#at++
    let value = ''
    while (!this.#isOver) {
      const character = this.#text[this.#at++] as string
      if (character === '"') return value
      value += character === '\\' ? this.#escape() : character
    }
    return value
  }

  #escape(): string {
    if (this.#isOver) return '\\'
    const letter = this.#text[this.#at++] as string
    if (letter === 'u') {
      const hex = this.#text.slice(this.#at, this.#at + 4)
      if (!/^[\dA-Fa-f]*$/.test(hex)) throw new SyntaxError('no escape')
      this.#at += hex.length
      return hex.length === 4 ? String.fromCharCode(Number.parseInt(hex, 16)) : `u${hex}`
    }
    const escaped = ESCAPES[letter]
    if (escaped === undefined) throw new SyntaxError('no escape')
    return escaped
  }

  #list(): unknown[] {
    this.#at++
    const values: unknown[] = []
    for (let first = true; ; first = false) {
      this.#space()
      if (first && this.#takes(']')) return values
      const value = this.#value()
      if (value === CUT) return values
      values.push(value)
      if (this.#ends(']')) return values
    }
  }

  #object(): unknown {
    this.#at++
    const fields: [string, unknown][] = []
    for (let first = true; ; first = false) {
      this.#space()
      if (this.#isOver || (first && this.#takes('}'))) return Object.fromEntries(fields)
      if (this.#text[this.#at] !== '"') throw new SyntaxError('no key')
      const name = this.#string()
      this.#space()
      if (this.#isOver) return Object.fromEntries(fields)
      if (!this.#takes(':')) throw new SyntaxError('no colon')
      const value = this.#value()
      if (value === CUT) return Object.fromEntries(fields)
      fields.push([name, value])
      if (this.#ends('}')) return Object.fromEntries(fields)
    }
  }

  /** Reads the separator after a value. Returns whether that value was the last one. */
  #ends(bracket: string): boolean {
    this.#space()
    if (this.#isOver || this.#takes(bracket)) return true
    if (!this.#takes(',')) throw new SyntaxError('no comma')
    return false
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
}
