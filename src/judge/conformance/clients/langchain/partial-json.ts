import { CutJsonReader } from '../cut-json.js'

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

class Reader extends CutJsonReader {
  protected override isSpace(character: string): boolean {
    return /\s/.test(character)
  }

  protected isNumber(character: string): boolean {
    return /[-\d]/.test(character)
  }

  protected word(): unknown {
    for (const [word, value] of [
      ['null', null],
      ['true', true],
      ['false', false],
    ] as const) {
      if (!word.startsWith(this.text.slice(this.at, this.at + word.length))) continue
      this.at += word.length
      return value
    }
    throw new SyntaxError('no value')
  }

  protected number(): number {
    const [digits] = /^-?\d*(\.\d*)?([eE][-+]?\d*)?/.exec(this.text.slice(this.at)) ?? ['']
    if (/^-?0\d/.test(digits)) throw new SyntaxError('no number')
    this.at += digits.length
    if (digits === '-') return -0
    const value = Number.parseFloat(digits)
    if (Number.isNaN(value)) throw new SyntaxError('no number')
    return value
  }

  protected string(): string {
    this.at++
    let value = ''
    while (!this.isOver) {
      const character = this.text[this.at++] as string
      if (character === '"') return value
      value += character === '\\' ? this.#escape() : character
    }
    return value
  }

  #escape(): string {
    if (this.isOver) return '\\'
    const letter = this.text[this.at++] as string
    if (letter === 'u') {
      const hex = this.text.slice(this.at, this.at + 4)
      if (!/^[\dA-Fa-f]*$/.test(hex)) throw new SyntaxError('no escape')
      this.at += hex.length
      return hex.length === 4 ? String.fromCharCode(Number.parseInt(hex, 16)) : `u${hex}`
    }
    const escaped = ESCAPES[letter]
    if (escaped === undefined) throw new SyntaxError('no escape')
    return escaped
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
