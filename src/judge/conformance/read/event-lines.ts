/** How many runs to keep: a capture whose lines follow no rule would fill the memory. */
const MAX_RUNS = 100_000

/** Events at equal distances. */
interface Run {
  /** The number of the first. */
  readonly from: number
  readonly line: number
  step: number
  count: number
}

/** The lines on which the events of a stream begin. Almost all streams are one run: an event each line, or each three. */
export class EventLines {
  readonly #runs: Run[] = []
  #count = 0

  /** Adds the line of the next event. */
  add(line: number): void {
    const last = this.#runs.at(-1)
    const from = this.#count++
    if (last !== undefined && last.count === 1) last.step = line - last.line
    if (last !== undefined && line === last.line + last.step * last.count) last.count++
    else if (this.#runs.length < MAX_RUNS) this.#runs.push({ from, line, step: 0, count: 1 })
  }

  /** The line of an event by its number, from 0; undefined if it is not known. */
  at(position: number): number | undefined {
    let [low, high] = [0, this.#runs.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#runs[middle] as Run).from <= position) low = middle
      else high = middle
    }
    const run = this.#runs[low]
    if (run === undefined || position >= run.from + run.count) return undefined
    return run.line + run.step * (position - run.from)
  }
}
