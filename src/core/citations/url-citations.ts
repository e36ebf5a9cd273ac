import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, oneOf } from '../../shared/options/checks.js'
import type { CitedPage } from '../responses/call-result.js'
import type { Logprob, UrlCitation } from '../responses/items.js'
import type { CitableText, CitationStage, CitationState, CitedText, ScoredText } from './citation-stage.js'
import { citedText } from './cited-text.js'

export type { CitedPage }

/** Options of {@link urlCitations}. */
export interface UrlCitationsOptions {
  /**
   * Returns the page for a cursor, synchronously. Default, and if it returns undefined: the page that the browser
   * showed under that cursor, known from its results in the transcript or from `toolResult({ pages })`.
   */
  readonly resolve?: (cursor: number) => Omit<CitedPage, 'cursor'> | undefined
  /**
   * The unit of `start_index` and `end_index`: Unicode code points (default), as in the API, or UTF-16 units, for
   * `text.slice(start_index, end_index)` in JavaScript.
   */
  readonly units?: 'code_points' | 'utf16'
}

const CITATIONS: OptionTable<UrlCitationsOptions> = { resolve: aFunction, units: oneOf('code_points', 'utf16') }

/**
 * Matches a mark in the form that gpt-oss's browser tool asks for: `【6†L9-L11】`, `【8†L3】`, or with a third part that
 * models add; or that of a file, with the search and the index of the result: `【3fa1c:0†report.pdf】`. Its parts are short
 * and end with the line, so that text that only begins like a mark is not held back for long.
 */
const MARK = /【(\d{1,9}|[a-z\d]{1,5}:\d{1,4})†([^【】†\n]{1,64})(?:†[^【】†\n]{1,64})?】/g
const BEGINNING = /^【(?:\d{1,9}(?:†(?:[^【】†\n]{1,64}(?:†[^【】†\n]{0,64})?)?)?)?$/
/** Matches the beginning of a mark after a file search. Before, letters after `【` would be held back without need. */
const BEGINNING_WITH_FILES =
  /^【(?:[a-z\d]{1,5}(?::\d{0,4})?|\d{1,9}|(?:\d{1,9}|[a-z\d]{1,5}:\d{1,4})†(?:[^【】†\n]{1,64}(?:†[^【】†\n]{0,64})?)?)?$/
const FIRST = '【'
const LAST = '】'

/**
 * Turns the model's citation marks into annotations. The mark of a page becomes a `url_citation`, and the mark itself into a readable link: `
 * ([example.com](https://example.com/page))`. The annotation covers the link without the space before it. A mark with
 * an unknown cursor stays unchanged, and so does one whose page has no `http:` or `https:` address. Addresses are
 * escaped so that none can inject other Markdown. The mark of a file becomes a `file_citation` at its position, and is removed
 * from the text.
 *
 * Source: the instructions of gpt-oss's browser tool, and the annotations of captured web searches.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { urlCitations } from 'harmony-responses/citations'
 *
 * for await (const event of translate(tokens, { request, citations: urlCitations() })) {
 *   if (event.type === 'response.output_text.annotation.added') console.log(event.annotation)
 * }
 * ```
 */
export function urlCitations(options: UrlCitationsOptions = {}): CitationStage {
  checkOptions('urlCitations', options, CITATIONS)
  const { resolve, units = 'code_points' } = options
  const lengthOf = (text: string): number => (units === 'utf16' ? text.length : codePoints(text))

  return (state, chunk, pages) => {
    const text = state.held + chunk.text
    // Fast path for almost every token: searching for a character takes a tenth of the time of a pattern.
    if (!text.includes(FIRST)) {
      const logprobs = chunk.tokens.length === 0 ? [] : chunk.tokens.map(({ logprob }) => logprob)
      state.length += lengthOf(text)
      return text === '' ? [] : [{ text, logprobs }]
    }
    const tokens = new Tokens(state, chunk)
    const cited: CitedText[] = []
    let from = 0
    // Without a closing bracket there is no complete mark, so skip the pattern.
    for (const mark of text.includes(LAST) ? text.matchAll(MARK) : []) {
      const file = pages.files?.[mark[1] as string]
      if (file !== undefined) {
        const before = text.slice(from, mark.index)
        state.length += lengthOf(before)
        const annotation = { type: 'file_citation', ...file, index: state.length } as const
        cited.push({ text: before, logprobs: tokens.of(from, mark.index), annotation })
        from = mark.index + mark[0].length
        continue
      }
      const page = resolve?.(Number(mark[1])) ?? pages.byCursor[Number(mark[1])]
      check(!('then' in Object(page)), 'resolve', 'a page or undefined, not a promise', page)
      if (page === undefined) continue
      const address = addressOf(page.url)
      if (address === undefined) continue
      const before = `${text.slice(from, mark.index)} `
      const link = linkTo(address)
      const start_index = state.length + lengthOf(before)
      const end_index = start_index + lengthOf(link)
      const title = page.title || domainOf(address)
      const url = CLEAN.test(page.url) ? page.url : destinationOf(address)
      const { text: read } = page as Partial<CitedPage>
      const quote = read === undefined ? undefined : { cited_text: citedText(read, mark[2] as string) }
      const annotation: UrlCitation = { type: 'url_citation', url, title, start_index, end_index, ...quote }
      cited.push({ text: before + link, logprobs: tokens.of(from, mark.index), annotation })
      state.length = end_index
      from = mark.index + mark[0].length
    }
    const until = chunk.isLast
      ? text.length
      : from + endOfPlain(text.slice(from), pages.files === undefined ? BEGINNING : BEGINNING_WITH_FILES)
    const rest = text.slice(from, until)
    if (rest !== '') cited.push({ text: rest, logprobs: tokens.of(from, until) })
    state.length += lengthOf(rest)
    state.held = text.slice(until)
    state.tokens = tokens.from(until)
    return cited
  }
}

/** Returns where a possible incomplete mark begins; the text's length if there is none. */
function endOfPlain(text: string, beginning: RegExp): number {
  const at = text.lastIndexOf(FIRST)
  return at >= 0 && beginning.test(text.slice(at)) ? at : text.length
}

/** Parses a page's URL as a browser does; undefined if it is not http or https. */
function addressOf(url: string): URL | undefined {
  try {
    const address = new URL(url)
    // Valid hosts have no other characters, and a "`" cannot be escaped after another one.
    return /^https?:$/.test(address.protocol) && /^[\w.:[\]-]+$/.test(address.host) ? address : undefined
  } catch {
    return undefined
  }
}

/** A URL that the annotation may repeat unchanged. Programs correct other characters, each in its own way. */
const CLEAN = /^https?:\/\/[^\s\p{C}"<>\\^`{|}]+$/u

/** The page controls domain and address, so both are escaped. */
function linkTo(address: URL): string {
  return `([${domainOf(address).replace(/[^\w.:-]|_/g, '\\$&')}](${destinationOf(address)}))`
}

/**
 * Matches characters with a meaning in Markdown (also with formulas or tables) or HTML, invalid percent-encodings, and
 * entities.
 */
const MEANINGFUL = /[^\w.~:/?#[\]@!&*+,;=%-]|%(?![\da-f]{2})|&#?\w+;/gi

/** Returns the URL in ASCII, escaped so that all of it is the link's destination and nothing else. */
function destinationOf({ href }: URL): string {
  return href.replace(MEANINGFUL, (found) => {
    const end = found.length - 1
    // For an entity, escaping its `;` alone suffices.
    return `${found.slice(0, end)}%${found.charCodeAt(end).toString(16).toUpperCase()}`
  })
}

/** Returns `example.com` for `https://www.example.com/page`, in Punycode, so that lookalike letters are visible. */
function domainOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >> 10 === 0x37) count--
  return count
}

/**
 * The tokens of a text that is emitted in pieces: each goes with the first piece that contains one of its characters.
 */
class Tokens {
  readonly #tokens: readonly ScoredText[]
  #next = 0

  constructor({ held, tokens }: CitationState, chunk: CitableText) {
    this.#tokens = [...tokens, ...chunk.tokens.map((token) => moved(token, held.length))]
  }

  /**
   * Returns the tokens with a character in this piece that no earlier piece had. Has to be called for the pieces in
   * order.
   */
  of(from: number, until: number): Logprob[] {
    const logprobs: Logprob[] = []
    for (
      let token = this.#tokens[this.#next];
      token !== undefined && token.start < until;
      token = this.#tokens[++this.#next]
    ) {
      if (token.end > from && from < until) logprobs.push(token.logprob)
    }
    return logprobs
  }

  /** Returns the tokens of the held text. */
  from(held: number): ScoredText[] {
    return this.#tokens.slice(this.#next).flatMap((token) => (token.end > held ? [moved(token, -held)] : []))
  }
}

function moved({ logprob, start, end }: ScoredText, by: number): ScoredText {
  return { logprob, start: Math.max(0, start + by), end: end + by }
}
