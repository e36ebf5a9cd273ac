import { check } from '../errors.js'
import type { Logprob, UrlCitation } from '../responses/items.js'
import type { CitationStage, CitationState, CitedText, SaidText, ScoredText } from './citation-stage.js'
import type { CitedPage } from './pages.js'

export type { CitedPage }

/** How citation marks are read. */
export interface Citations {
  /**
   * The page that the model means by a cursor, at once: a promise is refused. Default, and where this returns
   * undefined: the page that the browser showed under it, as its answers in the transcript say, or `toolResult({ pages
   * })`.
   */
  readonly resolve?: (cursor: number) => Omit<CitedPage, 'cursor'> | undefined
  /**
   * What `start_index` and `end_index` count: Unicode code points (default), as the API does, or UTF-16 units, as
   * JavaScript does: `text.slice(start_index, end_index)`.
   */
  readonly units?: 'code_points' | 'utf16'
}

/**
 * A mark as the browser tool that gpt-oss was trained with asks for it: `【6†L9-L11】`, `【8†L3】`, and with a third part
 * that models add. Its parts are bounded, and end at a line's end: text that only begins like a mark is soon let go.
 */
const MARK = /【(\d{1,9})†[^【】†\n]{1,64}(?:†[^【】†\n]{1,64})?】/g
const BEGINNING = /^【(?:\d{1,9}(?:†(?:[^【】†\n]{1,64}(?:†[^【】†\n]{0,64})?)?)?)?$/
const FIRST = '【'
const LAST = '】'

/**
 * Turns the model's citation marks into `url_citation` annotations, and the mark itself into a link that people can
 * read: ` ([example.com](https://example.com/page))`. The annotation is about the link without the space before it. A
 * mark whose cursor nobody knows stays as it is, and so does one of a page that is not at an `http:` or `https:`
 * address. No address, whatever it holds, writes Markdown other than that one link.
 *
 *     new Translator({ request, citations: urlCitations() })
 *
 * Source: the instructions of gpt-oss's browser tool, and the annotations of captured web searches.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function urlCitations(options: Citations = {}): CitationStage {
  const { resolve, units = 'code_points' } = Object(options) as Citations
  check(Object(options) === options, 'urlCitations', 'an object', options)
  const isKnown = units === 'code_points' || units === 'utf16'
  check(isKnown, 'urlCitations.units', "'code_points' or 'utf16'", units)
  check(resolve === undefined || typeof resolve === 'function', 'urlCitations.resolve', 'a function', resolve)
  const lengthOf = (text: string): number => (units === 'utf16' ? text.length : codePoints(text))

  return (state, said, pages) => {
    const text = state.held + said.text
    // Almost every token: to look for a character takes a tenth of what a pattern takes.
    if (!text.includes(FIRST)) {
      const logprobs = said.tokens.length === 0 ? [] : said.tokens.map(({ logprob }) => logprob)
      state.length += lengthOf(text)
      return text === '' ? [] : [{ text, logprobs }]
    }
    const tokens = new Tokens(state, said)
    const cited: CitedText[] = []
    let from = 0
    // Nor does what never ends have to be read for whole marks with every token.
    for (const mark of text.includes(LAST) ? text.matchAll(MARK) : []) {
      const page = resolve?.(Number(mark[1])) ?? pages.byCursor[Number(mark[1])]
      check(!('then' in Object(page)), 'resolve', 'a page or undefined, not a promise', page)
      const address = addressOf(page?.url)
      if (page === undefined || address === undefined) continue
      const before = `${text.slice(from, mark.index)} `
      const link = linkTo(address)
      const start_index = state.length + lengthOf(before)
      const end_index = start_index + lengthOf(link)
      const title = page.title || domainOf(address)
      const url = CLEAN.test(page.url) ? page.url : destinationOf(address)
      const annotation: UrlCitation = { type: 'url_citation', url, title, start_index, end_index }
      cited.push({ text: before + link, logprobs: tokens.of(from, mark.index), annotation })
      state.length = end_index
      from = mark.index + mark[0].length
    }
    const until = said.isLast ? text.length : from + endOfPlain(text.slice(from))
    const rest = text.slice(from, until)
    if (rest !== '') cited.push({ text: rest, logprobs: tokens.of(from, until) })
    state.length += lengthOf(rest)
    state.held = text.slice(until)
    state.tokens = tokens.from(until)
    return cited
  }
}

/** Where what may be the beginning of a mark begins; the text's length where none is there. */
function endOfPlain(text: string): number {
  const at = text.lastIndexOf(FIRST)
  return at >= 0 && BEGINNING.test(text.slice(at)) ? at : text.length
}

/** Where a page is, as a browser reads it; undefined where that is not on the web. */
function addressOf(url: string | undefined): URL | undefined {
  try {
    const address = new URL(url ?? '')
    // No name or number of a machine has other characters, and one of them, "`", cannot be escaped behind another one.
    return /^https?:$/.test(address.protocol) && /^[\w.:[\]-]+$/.test(address.host) ? address : undefined
  } catch {
    return undefined
  }
}

/**
 * An address as the annotation may have it. Others have characters that programs correct, and not all in the same way.
 */
const CLEAN = /^https?:\/\/[^\s\p{C}"<>\\^`{|}]+$/u

/** Domain and address are the page's to choose, so both are escaped. */
function linkTo(address: URL): string {
  return `([${domainOf(address).replace(/[^\w.:-]|_/g, '\\$&')}](${destinationOf(address)}))`
}

/** What means something in Markdown or in HTML, in a dialect with formulas or tables, or is no percent-encoding. */
const MEANINGFUL = /[^\w.~:/?#[\]@!&*+,;=%-]|%(?![\da-f]{2})|(?<=&#?\w+);/gi

/** The address in ASCII that is a link's destination whole, and nothing beside. */
function destinationOf({ href }: URL): string {
  return href.replace(MEANINGFUL, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** `example.com` of `https://www.example.com/page`, as a browser shows it that does not trust lookalike letters. */
function domainOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >> 10 === 0x37) count--
  return count
}

/** The tokens of a text that is shown in pieces: each goes with the first piece that shows a character of it. */
class Tokens {
  readonly #tokens: readonly ScoredText[]
  #next = 0

  constructor({ held, tokens }: CitationState, said: SaidText) {
    this.#tokens = [...tokens, ...said.tokens.map((token) => moved(token, held.length))]
  }

  /** Those of which a character stands in this piece, and that no piece before has. Pieces come in order. */
  of(from: number, until: number): Logprob[] {
    const shown: Logprob[] = []
    for (
      let token = this.#tokens[this.#next];
      token !== undefined && token.start < until;
      token = this.#tokens[++this.#next]
    ) {
      if (token.end > from && from < until) shown.push(token.logprob)
    }
    return shown
  }

  /** Those of what is held. */
  from(held: number): ScoredText[] {
    return this.#tokens.slice(this.#next).flatMap((token) => (token.end > held ? [moved(token, -held)] : []))
  }
}

function moved({ logprob, start, end }: ScoredText, by: number): ScoredText {
  return { logprob, start: Math.max(0, start + by), end: end + by }
}
