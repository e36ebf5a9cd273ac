import type { ReportBreak, Seen } from './client.js'

/** An exception that a simulated client throws: the rule that the stream violates, and what the client needs. */
export class Thrown {
  readonly rule: string
  readonly expected: string
  readonly got: unknown
  readonly words: string | undefined

  constructor(rule: string, expected: string, got: unknown, words?: string) {
    this.rule = rule
    this.expected = expected
    this.got = got
    this.words = words
  }
}

/**
 * Records the exception of a simulated client as its ending, and reports it.
 *
 * @throws anything except a {@link Thrown}, which is a bug of this library
 */
export function recordThrown(thrown: unknown, seen: Seen, reportBreak: ReportBreak): void {
  if (!(thrown instanceof Thrown)) throw thrown
  seen.ending = 'threw'
  seen.error = `expected ${thrown.expected}`
  reportBreak(thrown.rule, thrown.expected, thrown.got, thrown.words)
}
