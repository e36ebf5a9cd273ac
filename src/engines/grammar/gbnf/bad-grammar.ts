/** A text that is not GBNF, or a grammar that cannot be followed. The message states where and why. */
export class BadGrammar extends Error {
  override readonly name = 'BadGrammar'
}
