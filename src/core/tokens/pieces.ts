import type { Work } from '../../shared/slices.js'

/** Classes of characters in the expression that splits text. */
const UPPER = 1
const LOWER = 2
const LETTER = 4
const NUMBER = 8
const SPACE = 16
const NEWLINE = 32
/** A character that may follow punctuation in its piece. */
const TAIL = 64
/** Neither a space, a letter nor a number. */
const OTHER = 128

/**
 * `\s` is spelled out because it is another set (White_Space) than in JavaScript. The runtime's Unicode version
 * determines which characters are letters.
 */
const KINDS: readonly (readonly [kind: number, characters: RegExp])[] = [
  [UPPER, /[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]/u],
  [LOWER, /[\p{Ll}\p{Lm}\p{Lo}\p{M}]/u],
  [LETTER, /\p{L}/u],
  [NUMBER, /\p{N}/u],
  [SPACE, /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u],
  [NEWLINE, /[\r\n]/u],
  [TAIL, /[\r\n/]/u],
  [OTHER, /[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\p{L}\p{N}]/u],
]
/** `s` also matches U+017F, as in case folding. */
const CONTRACTION = /^'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])/
const MAX_CONTRACTION_LENGTH = 3

/** The kinds of all code points, each computed when it is first read; 0 until then. */
export type CharacterKinds = Uint8Array

export function createCharacterKinds(): CharacterKinds {
  return new Uint8Array(0x110000)
}

/** A run of characters of one kind. */
interface Run {
  kind: number
  start: number
  /** Where it ends, as far as it has been read. */
  end: number
  /** The index after its last character that is also of the other kind; -1 for none. */
  marked: number
}

/**
 * Splits text into the pieces that o200k encodes separately: the leftmost match, and of these the first alternative, of
 *
 *     [^\r\n\p{L}\p{N}]? UPPER* LOWER+ CONTRACTION?
 *     [^\r\n\p{L}\p{N}]? UPPER+ LOWER* CONTRACTION?
 *     \p{N}{1,3}
 *     ' '? OTHER+ [\r\n/]*
 *     \s* [\r\n]+
 *     \s+ (?!\S)
 *     \s+
 *
 * Written by hand, because a backtracking regular expression overflows the stack on a word of a few megabytes, and
 * cannot pause within it. Reads each character a few times at most, whatever the text.
 */
export class Pieces {
  readonly #text: string
  readonly #kinds: CharacterKinds
  readonly #work: Work
  /** The runs of the current piece, kept so that a pause repeats no work. */
  readonly #runs: Run[] = []
  #count = 0
  #at = 0

  constructor(text: string, kinds: CharacterKinds, work: Work) {
    this.#text = text
    this.#kinds = kinds
    this.#work = work
  }

  /** Where the next piece begins. */
  get at(): number {
    return this.#at
  }

  /** Reads the next piece, and returns where it ends; -1 if that takes more work than is left. */
  next(): number {
    const end = this.#end(this.#at)
    if (end < 0) return -1
    this.#at = end
    this.#count = 0
    this.#work.left -= 1
    return end
  }

  #end(at: number): number {
    const code = this.#codeAt(at)
    const kind = this.#kindOf(code)
    const width = code > 0xffff ? 2 : 1
    if ((kind & (LETTER | NUMBER | NEWLINE)) === 0) {
      const word = this.#wordEnd(at + width)
      if (word !== NO_WORD) return word < 0 ? -1 : this.#contractionEnd(word)
      // A mark alone is a word.
      if ((kind & LOWER) !== 0) return this.#contractionEnd(at + width)
      const upper = this.#run(UPPER, LOWER, at + width) as Run
      if (upper.end > at + width) return this.#contractionEnd(upper.end)
    } else if ((kind & LETTER) !== 0) {
      const word = this.#wordEnd(at)
      if (word === PENDING) return -1
      return this.#contractionEnd(word === NO_WORD ? (this.#run(UPPER, LOWER, at) as Run).end : word)
    }
    if ((kind & NUMBER) !== 0) return this.#numberEnd(at)
    const start = code === BLANK ? at + 1 : at
    const other = this.#run(OTHER, 0, start)
    if (other === undefined) return -1
    if (other.end > start) return this.#run(TAIL, 0, other.end)?.end ?? -1
    const space = this.#run(SPACE, NEWLINE, at)
    if (space === undefined) return -1
    if (space.marked >= 0) return space.marked
    return space.end === this.#text.length || space.end - 1 === at ? space.end : space.end - 1
  }

  /** Returns where `UPPER* LOWER+` ends. */
  #wordEnd(start: number): number {
    const upper = this.#run(UPPER, LOWER, start)
    if (upper === undefined) return PENDING
    const isLower = upper.end < this.#text.length && (this.#kindOf(this.#codeAt(upper.end)) & LOWER) !== 0
    if (isLower) return this.#run(LOWER, 0, upper.end)?.end ?? PENDING
    // Some characters are both: the last of them counts as the lower one.
    return upper.marked >= 0 ? upper.marked : NO_WORD
  }

  #contractionEnd(at: number): number {
    if (this.#text.charCodeAt(at) !== APOSTROPHE) return at
    const [contraction = ''] = CONTRACTION.exec(this.#text.slice(at, at + MAX_CONTRACTION_LENGTH)) ?? []
    return at + contraction.length
  }

  #numberEnd(start: number): number {
    let at = start
    for (let count = 0; count < 3 && at < this.#text.length; count++) {
      const code = this.#codeAt(at)
      if ((this.#kindOf(code) & NUMBER) === 0) break
      at += code > 0xffff ? 2 : 1
    }
    return at
  }

  /** Returns the run of a kind that begins here; undefined if it was not read to its end. */
  #run(kind: number, mark: number, start: number): Run | undefined {
    let run: Run | undefined
    for (let index = 0; index < this.#count; index++) {
      const known = this.#runs[index] as Run
      if (known.kind === kind && known.start === start) run = known
    }
    if (run === undefined) {
      run = this.#runs[this.#count]
      if (run === undefined) {
        run = { kind, start, end: start, marked: -1 }
        this.#runs.push(run)
      }
      this.#count += 1
      run.kind = kind
      run.start = start
      run.end = start
      run.marked = -1
    }
    const text = this.#text
    const length = Math.min(text.length, run.end + Math.max(this.#work.left, 1))
    let at = run.end
    let isOver = false
    while (at < length) {
      const code = this.#codeAt(at)
      const kinds = this.#kindOf(code)
      isOver = (kinds & kind) === 0
      if (isOver) break
      at += code > 0xffff ? 2 : 1
      if ((kinds & mark) !== 0) run.marked = at
    }
    this.#work.left -= at - run.end
    run.end = at
    return isOver || at >= text.length ? run : undefined
  }

  #codeAt(at: number): number {
    const code = this.#text.charCodeAt(at)
    return code >= 0xd800 && code < 0xdc00 ? (this.#text.codePointAt(at) as number) : code
  }

  #kindOf(code: number): number {
    const known = this.#kinds[code] as number
    return known === 0 ? this.#findKind(code) : known
  }

  #findKind(code: number): number {
    const character = String.fromCodePoint(code)
    let kind = 0
    for (const [one, characters] of KINDS) if (characters.test(character)) kind |= one
    this.#kinds[code] = kind
    return kind
  }
}

const PENDING = -1
const NO_WORD = -2
const BLANK = 0x20
const APOSTROPHE = 0x27
