import type { Tokenizer, TokenizerCallbacks } from 'htmlparser2'
import type { Pause } from '../../../shared/slices.js'
import { HtmlPage, type PageText } from './html-page.js'

/** The type of the tokenizer's constructor, which is loaded on use. */
export type CreateTokenizer = typeof Tokenizer

/** The length of a piece of HTML that is read at once, in UTF-16 units. */
const PIECE = 32_768

/**
 * Reads HTML in slices. Its tokens, not its tree: a parser keeps a stack of the open elements, whose costs grow with the
 * square of their depth.
 *
 * @param base - the address of the page
 */
export async function readHtml(html: string, base: URL, Tokenizer: CreateTokenizer, pause: Pause): Promise<PageText> {
  const page = new HtmlPage(base)
  const tokenizer = new Tokenizer({ decodeEntities: true }, handlersOf(html, page))
  for (let at = 0; at < html.length; at += PIECE) {
    if (at > 0) await pause()
    tokenizer.write(html.slice(at, at + PIECE))
  }
  tokenizer.end()
  return page.page
}

/** The attributes that are read. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'alt'])

/** @param html - the whole text, into which the tokenizer's indexes point */
function handlersOf(html: string, page: HtmlPage): TokenizerCallbacks {
  let tag = ''
  let attributes: { [name: string]: string } = {}
  let name = ''
  let value = ''
  const nameAt = (start: number, end: number): string => html.slice(start, end).toLowerCase()
  const open = (): void => page.onopentag(tag, attributes)
  const ignore = (): void => {}
  return {
    onopentagname(start, end) {
      tag = nameAt(start, end)
      attributes = {}
    },
    onattribname(start, end) {
      name = nameAt(start, end)
      value = ''
    },
    onattribdata(start, end) {
      if (ATTRIBUTES.has(name)) value += html.slice(start, end)
    },
    onattribentity(code) {
      if (ATTRIBUTES.has(name)) value += String.fromCodePoint(code)
    },
    onattribend() {
      // Of two attributes with one name, browsers take the first.
      if (ATTRIBUTES.has(name)) attributes[name] ??= value
    },
    onopentagend: open,
    onselfclosingtag: open,
    onclosetag: (start, end) => page.onclosetag(nameAt(start, end)),
    ontext: (start, end) => page.ontext(html.slice(start, end)),
    ontextentity: (code) => page.ontext(String.fromCodePoint(code)),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
}
