const CR = 0x0d
const LF = 0x0a

/** Counts lines across pieces, which may be split between CR and LF. */
export class LineCount {
  /** The line of the next character, from 1. */
  line = 1
  /** Whether some line ended with a CR that no LF followed. */
  hasLoneCr = false
  #isAfterCr = false

  /** Whether the last character was a CR, which an LF may still follow. */
  get isAfterCr(): boolean {
    return this.#isAfterCr
  }

  /** Reads CR or LF. Returns whether it ended a line: an LF after CR belongs to the same line end. */
  takeLineEnd(code: number): boolean {
    if (code === LF && this.#isAfterCr) {
      this.#isAfterCr = false
      return false
    }
    this.takeCharacter()
    this.#isAfterCr = code === CR
    this.line++
    return true
  }

  /** Reads any other character. */
  takeCharacter(): void {
    if (!this.#isAfterCr) return
    this.#isAfterCr = false
    this.hasLoneCr = true
  }
}
