import { cleanLinkText, cleanText } from './clean-text.js'
import { type Link, MAX_URL } from './page.js'
import { TextWriter } from './text-writer.js'

/** A page's text before it is wrapped. */
export interface PageText {
  /** Empty if the page has none. */
  readonly title: string
  readonly text: string
  readonly links: readonly Link[]
}

/** The maximum number of links of a page; the text of further ones stays. */
const MAX_LINKS = 10_000

const HEADINGS: { readonly [tag: string]: string } = {
  h1: '#',
  h2: '##',
  h3: '###',
  h4: '####',
  h5: '#####',
  h6: '######',
}
/** The elements of a head. Any other ends one that is not closed. */
const HEAD = new Set([
  'base',
  'basefont',
  'bgsound',
  'link',
  'meta',
  'noscript',
  'script',
  'style',
  'template',
  'title',
])
/** Elements without text for a reader. */
const SILENT = new Set(['style', 'script', 'template', 'math', 'noembed', 'noframes'])
const BLOCKS = new Set(['p', 'div'])

/**
 * Reads a page's HTML. The rules are those of the browser tool that gpt-oss was trained with: headings, lists, quotes and
 * code as in Markdown, no emphasis, cells of tables in lines, links as `【id†text†domain】`.
 *
 * @param base - the address of the page
 */
export class HtmlPage {
  readonly #base: URL
  readonly #writer = new TextWriter()
  readonly #links: Link[] = []
  readonly #ids = new Map<string, number>()
  readonly #lists: { count: number; readonly isOrdered: boolean }[] = []
  #title = ''
  #silent = 0
  #inHead = false
  #inTitle = false
  /** The link that is open, and its text so far. */
  #link: { readonly url: URL; text: string } | undefined
  #images = 0
  /** Whether a tag has come since the last text. */
  #isAfterTag = false

  constructor(base: URL) {
    this.#base = base
  }

  get page(): PageText {
    this.#closeLink()
    return { title: cleanText(this.#title).replace(/\s+/g, ' ').trim(), text: this.#writer.text, links: this.#links }
  }

  onopentag(tag: string, attributes: { readonly [name: string]: string }): void {
    this.#isAfterTag = true
    if (tag === 'title') this.#inTitle = true
    if (tag === 'head') this.#inHead = true
    else if (!HEAD.has(tag)) this.#inHead = false
    if (tag === 'body') this.#silent = 0
    else if (SILENT.has(tag)) this.#silent += 1
    if (this.#isSilent) return
    if (tag === 'a') this.#openLink(attributes['href'])
    else if (tag === 'img') this.#writeImage(attributes['alt'])
    else this.#open(tag)
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#title += text
    if (this.#isSilent || this.#inTitle) return
    const clean = cleanText(text)
    if (this.#link !== undefined) {
      this.#link.text += this.#isAfterTag ? ` ${clean}` : clean
      this.#isAfterTag = false
      return
    }
    this.#write(clean)
  }

  onclosetag(tag: string): void {
    this.#isAfterTag = true
    if (tag === 'title') this.#inTitle = false
    if (tag === 'head') this.#inHead = false
    if (SILENT.has(tag)) this.#silent = Math.max(0, this.#silent - 1)
    else if (this.#isSilent) return
    else if (tag === 'a') this.#closeLink()
    else this.#close(tag)
  }

  get #isSilent(): boolean {
    return this.#silent > 0 || this.#inHead
  }

  #write(text: string): void {
    this.#writer.write(text, this.#isAfterTag)
    this.#isAfterTag = false
  }

  #open(tag: string): void {
    const writer = this.#writer
    const heading = HEADINGS[tag]
    if (heading !== undefined) {
      writer.breakBlock()
      writer.mark(`${heading} `)
    } else if (BLOCKS.has(tag) || tag === 'dl') writer.breakBlock()
    else if (tag === 'br') writer.breakHard()
    else if (tag === 'hr') {
      writer.breakBlock()
      writer.mark('* * *')
      writer.breakBlock()
    } else if (tag === 'ul' || tag === 'ol') this.#openList(tag === 'ol')
    else if (tag === 'li') this.#openListItem()
    else if (tag === 'dd') writer.mark('    ')
    else if (tag === 'blockquote') writer.quote(1)
    else if (tag === 'pre') writer.openCode()
    else if (tag === 'code' || tag === 'tt') writer.tick()
    else if (tag === 'sup') writer.join('^{')
    else if (tag === 'sub') writer.join('_{')
    else if (tag === 'q') writer.mark('"')
  }

  #close(tag: string): void {
    const writer = this.#writer
    if (HEADINGS[tag] !== undefined || BLOCKS.has(tag) || tag === 'dl') writer.breakBlock()
    else if (tag === 'ul' || tag === 'ol') this.#closeList()
    else if (tag === 'li' || tag === 'dt' || tag === 'dd') writer.breakLine()
    else if (tag === 'tr') writer.breakRow()
    else if (tag === 'blockquote') writer.quote(-1)
    else if (tag === 'pre') writer.closeCode()
    else if (tag === 'code' || tag === 'tt') writer.tick()
    else if (tag === 'sup' || tag === 'sub') writer.join('}')
    else if (tag === 'q') writer.mark('"')
  }

  #openList(isOrdered: boolean): void {
    if (this.#lists.length === 0) this.#writer.breakBlock()
    else this.#writer.breakLine()
    this.#lists.push({ count: 0, isOrdered })
  }

  #closeList(): void {
    this.#lists.pop()
    if (this.#lists.length === 0) this.#writer.breakBlock()
  }

  #openListItem(): void {
    const list = this.#lists.at(-1)
    this.#writer.breakLine()
    if (list !== undefined) list.count += 1
    const marker = list?.isOrdered ? `${list.count}. ` : '* '
    this.#writer.mark(`${'  '.repeat(Math.min(Math.max(this.#lists.length, 1), MAX_INDENT))}${marker}`)
  }

  #writeImage(alt = ''): void {
    const text = cleanLinkText(alt)
    this.#write(text === '' ? `[Image ${this.#images}]` : `[Image ${this.#images}: ${text}]`)
    this.#images += 1
  }

  #openLink(href: string | undefined): void {
    this.#closeLink()
    if (href === undefined || href.length > MAX_URL || href.trimStart().startsWith('#')) return
    const url = URL.parse(href, this.#base.href)
    if (url !== null && /^https?:$/.test(url.protocol)) this.#link = { url, text: '' }
  }

  #closeLink(): void {
    const link = this.#link
    this.#link = undefined
    if (link === undefined) return
    const text = cleanLinkText(link.text)
    if (text === '') return
    const id = this.#idOf(link.url, text)
    const domain = link.url.host === this.#base.host ? '' : `†${link.url.host}`
    this.#write(id === undefined ? text : `【${id}†${text}${domain}】`)
  }

  /** Returns the id of a link, the same for each link to the address; undefined if there are too many. */
  #idOf({ href }: URL, text: string): number | undefined {
    const known = this.#ids.get(href)
    if (known !== undefined) return known
    const id = this.#links.length
    if (id >= MAX_LINKS) return undefined
    this.#ids.set(href, id)
    this.#links.push({ url: href, text })
    return id
  }
}

/** The maximum depth to which a list is indented. */
const MAX_INDENT = 20
