import { describe } from '../../../shared/errors.js'
import type { DetectedFormat } from './capture-format.js'
import type { BrokenReason } from './json-scanner.js'
import type { StreamRead } from './stream-read.js'

/** How many formats of one capture to report: a file may hold any number of responses. */
const MAX_FORMATS = 100

/** A line of this length is reported as endless. */
export const LONG_LINE = 1_000_000

/** Reports the parts of a capture that are not events: each format once, and the beginning of a run of broken text. */
export class CaptureReports {
  readonly #maxLength: number
  readonly #take: (read: StreamRead) => void
  readonly #formats = new Set<string>()
  /** Broken text was reported, and no event has come since. */
  #isBroken = false

  constructor(maxLength: number, take: (read: StreamRead) => void) {
    this.#maxLength = maxLength
    this.#take = take
  }

  format(given: DetectedFormat, line: number, value?: unknown): void {
    // Reports unknown JSON only once, as its description has the names of its fields.
    const key = given.format === 'json' ? given.format : `${given.format} ${given.description}`
    if (this.#formats.has(key) || this.#formats.size === MAX_FORMATS) return
    this.#formats.add(key)
    this.#take({ kind: 'format', ...given, line, ...(given.format === 'response' ? { value } : {}) })
  }

  broken(head: string, line: number, why: BrokenReason, length: number = this.#maxLength): void {
    if (this.#isBroken && why === 'cut') return
    this.#isBroken = true
    const expected = {
      cut: 'an event as JSON',
      long: `an event of at most ${this.#maxLength} characters`,
      deep: 'an event with less nesting',
      endless: `an event of at most ${this.#maxLength} characters`,
    }[why]
    const got = why === 'endless' ? `no newline in ${sizeOf(length)}: ${describe(head)}` : describe(head)
    this.#take({ kind: 'broken', line, expected, got })
  }

  /** A value came, which ends a run of broken text. */
  recovered(): void {
    this.#isBroken = false
  }
}

const sizeOf = (length: number): string =>
  length < LONG_LINE ? `${length} characters` : `${Math.round(length / 1e6)} MB`
