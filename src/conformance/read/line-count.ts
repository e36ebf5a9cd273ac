const CR = 0x0d
const LF = 0x0a

/** Counts lines over pieces that may be cut between CR and LF. */
export class LineCount {
  /** The line where the next character stands, from 1. */
  line = 1
  /** Whether some line ended with CR, and no LF came after it. */
  hasLoneCr = false
  #isAfterCr = false

  /** Whether the last character was a CR: nobody knows yet whether it stands alone. */
  get isAfterCr(): boolean {
    return this.#isAfterCr
  }

  /** A line end came. Returns whether a line ended: LF after CR is part of the same end. */
  take(code: number): boolean {
    if (code === LF && this.#isAfterCr) {
      this.#isAfterCr = false
      return false
    }
    this.goOn()
    this.#isAfterCr = code === CR
    this.line++
    return true
  }

  /** A character came that ends no line. */
  goOn(): void {
    if (!this.#isAfterCr) return
    this.#isAfterCr = false
    this.hasLoneCr = true
  }
}
