import { CUT, CutJsonReader } from '../../../clients/cut-json.js'

/** The limits of jiter in Python: of nesting, and of the digits of an integer. */
const [MAX_NESTING, MAX_DIGITS] = [200, 4300]

/**
 * Parses the beginning of JSON as jiter does in partial mode, with which the Anthropic SDK for Python reads inputs: a string,
 * a word or a number that is cut off is dropped, but a number may be whole where the text ends; open containers are closed,
 * also where a comma is missing; and nothing behind the first value is read.
 *
 * @throws SyntaxError if something else is wrong, or nothing is left
 */
export function begunJson(text: string): unknown {
  return new Reader(text, MAX_NESTING).first()
}

class Reader extends CutJsonReader {
  protected isNumber(character: string): boolean {
    return /\d/.test(character) || (character === '-' && this.text[this.at + 1] !== 'I')
  }

  protected override withoutComma(): boolean {
    return true
  }

  protected word(): unknown {
    for (const [word, value] of WORDS) {
      const begun = this.text.slice(this.at, this.at + word.length)
      if (!word.startsWith(begun)) continue
      this.at += begun.length
      return begun === word ? value : CUT
    }
    throw new SyntaxError('no value')
  }

  protected number(): unknown {
    const rest = this.text.slice(this.at)
    if (CUT_NUMBER.test(rest)) return this.#cut()
    const [digits] = NUMBER.exec(rest) ?? []
    if (digits === undefined) throw new SyntaxError('no number')
    if (/^-?\d+$/.test(digits) && digits.replace('-', '').length > MAX_DIGITS) throw new SyntaxError('too many digits')
    this.at += digits.length
    return Number(digits)
  }

  protected string(): string | typeof CUT {
    const begin = this.at++
    for (;;) {
      const character = this.text[this.at]
      if (character === undefined) return CUT
      if (character < ' ') throw new SyntaxError('a control character')
      if (character === '\\') {
        const rest = this.text.slice(this.at, this.at + MAX_ESCAPE)
        if (CUT_ESCAPE.test(rest)) return this.#cut()
        const [escaped] = ESCAPE.exec(rest) ?? []
        if (escaped === undefined) throw new SyntaxError('no escape')
        this.at += escaped.length
      } else this.at++
      if (character === '"') return JSON.parse(this.text.slice(begin, this.at))
    }
  }

  #cut(): typeof CUT {
    this.at = this.text.length
    return CUT
  }
}

const WORDS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]

const NUMBER = /^-?(?:0|[1-9]\d*)(?:(?:\.\d+)?[eE][-+]?\d+|\.\d+(?![eE])|(?![.eE]))(?!\d)/
const CUT_NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][-+]?))?$/

/** An escape; half of a surrogate pair is none. */
const ESCAPE =
  /^\\(?:["\\/bfnrt]|u(?:[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F]|(?![dD][89a-fA-F])[\da-fA-F]{2})[\da-fA-F]{2})/
const CUT_ESCAPE = /^\\(?:u(?:.{0,3}|[dD][89abAB][\da-fA-F]{2}(?:\\(?:u.{0,3})?)?))?$/s
const MAX_ESCAPE = '\\ud83d\\ude00'.length
