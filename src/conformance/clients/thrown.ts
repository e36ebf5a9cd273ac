/** An exception of a client, while its reading is simulated: which rule says so, and what it wanted instead. */
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
