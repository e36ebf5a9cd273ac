/** The maximum nesting: no input of a tool is deeper, and recursion has to be limited. */
const MAX_NESTING = 1000

/**
 * Parses JSON that may be cut off anywhere, as the Anthropic SDK does: values that were incomplete at the cut are
 * dropped (a string, a number, a word, a key without its value), and open containers are closed.
 *
 * @throws SyntaxError if something else than the end of the text is wrong, or nothing is left of it
 */
export function wholeJson(text: string): unknown {
  return JSON.parse(closed(withoutCut(tokensOf(text))))
}

interface Token {
  readonly text: string
  /** Whether the text ends with it. */
  readonly isLast: boolean
}

const BRACKETS: ReadonlyMap<string | undefined, string> = new Map([
  ['{', '}'],
  ['[', ']'],
])
const CLOSERS: ReadonlySet<string> = new Set(BRACKETS.values())
const WORDS = ['true', 'false', 'null']

/** What stands where no string begins. A number may have any form. */
const TOKEN = /[{}[\]:,]|(?=[-.\d])-?[\d.eE]*(?:(?<=[eE])[-+][\d.eE]*)*|[A-Za-z]+/y
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** The tokens of a text, without a string or a word that was cut off. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at++
    if (at >= text.length) return tokens
    const end = text[at] === '"' ? endOfString(text, at) : endOfToken(text, at)
    if (end === undefined) return tokens
    const token = text.slice(at, end)
    const isWord = /^[A-Za-z]/.test(token)
    if (isWord && !WORDS.includes(token)) {
      if (/^[ \t\n\r]*$/.test(text.slice(end)) && WORDS.some((word) => word.startsWith(token))) return tokens
      throw new SyntaxError('no value')
    }
    tokens.push({ text: token, isLast: end === text.length })
    at = end
  }
}

/** Undefined if the string was cut off. */
function endOfString(text: string, begin: number): number | undefined {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return undefined
}

function endOfToken(text: string, begin: number): number {
  TOKEN.lastIndex = begin
  if (!TOKEN.test(text)) throw new SyntaxError('no value')
  return TOKEN.lastIndex
}

/** The tokens without those that say nothing once the text is closed. */
function withoutCut(tokens: readonly Token[]): readonly Token[] {
  const open = openIn(tokens)
  let length = tokens.length
  for (; length > 0; length--) {
    const { text, isLast } = tokens[length - 1] as Token
    const before = tokens[length - 2]?.text
    const isKey = text.startsWith('"') && open.at(-1) === '{' && (before === ',' || before === '{')
    // More digits may follow one that the text ends with.
    const isCutNumber = /^[-.\d]/.test(text) && (isLast || !NUMBER.test(text))
    if (text === ',') return tokens.slice(0, length - 1)
    if (text !== ':' && !isKey && !isCutNumber) break
  }
  return tokens.slice(0, length)
}

/** The brackets that are open at the end. */
function openIn(tokens: readonly Token[]): readonly string[] {
  const open: string[] = []
  for (const { text } of tokens) {
    if (BRACKETS.has(text)) open.push(text)
    else if (CLOSERS.has(text) && BRACKETS.get(open.pop()) !== text) throw new SyntaxError('no open bracket')
    if (open.length > MAX_NESTING) throw new SyntaxError('nested too deeply')
  }
  return open
}

function closed(tokens: readonly Token[]): string {
  const brackets = openIn(tokens).map((bracket) => BRACKETS.get(bracket))
  // A blank, so that two numbers do not become one.
  return `${tokens.map(({ text }) => text).join(' ')}${brackets.toReversed().join('')}`
}
