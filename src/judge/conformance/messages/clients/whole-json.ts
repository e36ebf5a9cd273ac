import { CUT, CutJsonReader } from '../../clients/cut-json.js'

/** The maximum nesting: no input of a tool is deeper, and recursion has to be limited. */
const MAX_NESTING = 1000

/**
 * Parses JSON that may be cut off anywhere, as the Anthropic SDK does: values that were incomplete at the cut are
 * dropped (a string, a number, a word, a key without its value), and open containers are closed.
 *
 * @throws SyntaxError if something else than the end of the text is wrong, or nothing is left of it
 */
export function wholeJson(text: string): unknown {
  return new Reader(text, MAX_NESTING).whole()
}

class Reader extends CutJsonReader {
  protected isNumber(character: string): boolean {
    return /[-.\d]/.test(character)
  }

  protected word(): unknown {
    const [word = ''] = /^[A-Za-z]*/.exec(this.text.slice(this.at, this.at + 6)) ?? []
    this.at += word.length
    if (word === 'true' || word === 'false' || word === 'null') return JSON.parse(word)
    this.space()
    if (word !== '' && this.isOver && ['true', 'false', 'null'].some((whole) => whole.startsWith(word))) return CUT
    throw new SyntaxError('no value')
  }

  protected number(): unknown {
    const [digits = ''] = /^-?[\d.]*(?:[eE][-+]?[\d.]*)?/.exec(this.text.slice(this.at)) ?? []
    this.at += digits.length
    // More digits may follow one that the text ends with.
    if (this.isOver) return CUT
    const isWhole = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(digits)
    if (isWhole) return JSON.parse(digits)
    this.space()
    if (this.isOver) return CUT
    throw new SyntaxError('no number')
  }

  protected string(): string | typeof CUT {
    const begin = this.at++
    while (!this.isOver) {
      const character = this.text[this.at++]
      if (character === '\\') this.at++
      else if (character === '"') return JSON.parse(this.text.slice(begin, this.at))
    }
    return CUT
  }
}
