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
 * Runs one step of a simulated client. If the client throws, records the exception as its ending and reports it.
 * Any other exception is a bug of ours, and is not caught.
 *
 * @returns whether the client threw
 */
export function throwsIn(step: () => void, seen: Seen, reportBreak: ReportBreak): boolean {
  try {
    step()
    return false
  } catch (thrown) {
    if (!(thrown instanceof Thrown)) throw thrown
    seen.ending = 'threw'
    seen.error = `expected ${thrown.expected}`
    reportBreak(thrown.rule, thrown.expected, thrown.got, thrown.words)
    return true
  }
}
