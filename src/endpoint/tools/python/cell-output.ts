/** What a cell has printed, up to a size: its beginning and its end, since errors are at the end. */
export class CellOutput {
  readonly #max: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #bytes = 0

  /** @param max - in bytes */
  constructor(max: number) {
    this.#max = max
  }

  /** All that was printed, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  push(data: Buffer): void {
    this.#bytes += data.length
    const room = Math.ceil(this.#max / 2) - this.#headBytes
    const first = data.subarray(0, Math.max(0, room))
    if (first.length > 0) this.#head.push(Buffer.from(first))
    this.#headBytes += first.length
    const rest = data.subarray(first.length)
    if (rest.length === 0) return
    this.#tail.push(Buffer.from(rest))
    this.#tailBytes += rest.length
    const max = Math.floor(this.#max / 2)
    // Joined when there is twice as much as is kept: each byte is copied a few times at most.
    if (this.#tailBytes > 2 * max + 65_536) this.#tail = [this.#lastOf(max)]
    this.#tailBytes = this.#tail.reduce((sum, { length }) => sum + length, 0)
  }

  /** Returns the text; what was left out of its middle is named. */
  text(): string {
    const tail = this.#lastOf(Math.floor(this.#max / 2))
    const left = this.#bytes - this.#headBytes - tail.length
    if (left === 0) return Buffer.concat([...this.#head, tail]).toString('utf8')
    return `${Buffer.concat(this.#head).toString('utf8')}\n[... ${left} bytes left out ...]\n${tail.toString('utf8')}`
  }

  #lastOf(max: number): Buffer {
    const all = Buffer.concat(this.#tail)
    return all.subarray(Math.max(0, all.length - max))
  }
}
