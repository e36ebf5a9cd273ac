/** A text that is no GBNF, or a grammar that cannot be followed. The message says where and why. */
export class BadGrammar extends Error {
  override readonly name = 'BadGrammar'
}
