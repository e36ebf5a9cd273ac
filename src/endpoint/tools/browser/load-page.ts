import { shortened } from '../../../shared/shortened.js'
import { createWork, type Pause, withPauses } from '../../../shared/slices.js'
import { withinTime } from '../deadline.js'
import { ToolError } from '../tool-error.js'
import { cleanText } from './clean-text.js'
import type { PageText } from './html-page.js'
import { type OpenOptions, openAddress } from './open-address.js'
import type { Page } from './page.js'
import { readBytes } from './read-bytes.js'
import { type CreateTokenizer, readHtml } from './read-html.js'
import type { Robots } from './robots.js'
import { wrapInSlices } from './wrap.js'

export interface LoadOptions extends Omit<OpenOptions, 'failed'> {
  readonly Tokenizer: CreateTokenizer
  readonly maxBytes: number
  readonly seconds: number
  readonly pause: Pause
  /** What sites allow robots to load; undefined if nobody asks. */
  readonly robots: Robots | undefined
}

/** The length of an address in an error, and of a title. Both come with what is shown of a page, whatever its length. */
const MAX_SHOWN = 200
const MAX_TITLE = 200

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const TEXT = /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|javascript)|application\/(?:x-)?(?:yaml|ndjson))$/

/**
 * Loads a page.
 *
 * @throws ToolError if it cannot be loaded, for the model: the page's own words are not in it
 */
export async function loadPage(address: string, signal: AbortSignal, options: LoadOptions): Promise<Page> {
  const failed = (why: string): ToolError =>
    new ToolError(`Error fetching URL \`${shortened(address, MAX_SHOWN)}\`: ${why}`)
  const late = (): ToolError => failed(`no answer within ${options.seconds} seconds`)
  try {
    return await withinTime(options.seconds, signal, (limit) => load(address, limit, options, failed), late)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ToolError ? error : failed(causeOf(error))
  }
}

async function load(
  address: string,
  signal: AbortSignal,
  options: LoadOptions,
  failed: (why: string) => ToolError,
): Promise<Page> {
  const opening = { ...options, failed }
  const { url, response } = await openAddress(address, signal, opening, async (next) => {
    if ((await options.robots?.allows(next, signal, opening)) === false) {
      throw failed(`the robots.txt of ${next.host} does not allow it`)
    }
  })
  return readPage(url, response, options, failed)
}

async function readPage(
  url: URL,
  response: Response,
  options: LoadOptions,
  failed: (why: string) => ToolError,
): Promise<Page> {
  const { status, headers } = response
  const [given = '', ...parameters] = (headers.get('content-type') ?? 'text/html').split(';')
  const type = given.trim().toLowerCase()
  const isReadable = HTML.test(type) || TEXT.test(type)
  const isOk = status >= 200 && status < 300
  if (!isOk || !isReadable) {
    await response.body?.cancel()
    throw failed(isOk ? `it is ${shortType(type)}, which cannot be read as text` : `HTTP ${status}`)
  }
  const { bytes, isCut } = await readBytes(response, options.maxBytes)
  const text = decode(bytes, charsetOf(parameters), HTML.test(type))
  const page = HTML.test(type) ? await readHtml(text, url, options.Tokenizer, options.pause) : plain(text)
  const end = isCut ? `\n\n[The rest of the page is left out: it is longer than ${options.maxBytes} bytes.]` : ''
  return {
    url: url.href,
    title: shortened(page.title, MAX_TITLE) || url.host,
    lines: await withPauses(wrapInSlices(`\nURL: ${url.href}\n${page.text}${end}`, createWork()), options.pause),
    links: page.links,
  }
}

/** The bytes in which a page says how it is encoded. */
const HEAD = 1024
const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i

function charsetOf(parameters: readonly string[]): string | undefined {
  const given = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1])
  return given.find((one) => one !== undefined)
}

function decode(bytes: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const head = isHtml ? new TextDecoder('latin1').decode(bytes.subarray(0, HEAD)) : ''
  const label = charset ?? META.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function plain(text: string): PageText {
  return { title: '', text: cleanText(text).replace(/\r\n?/g, '\n').trim(), links: [] }
}

function shortType(type: string): string {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'of an unknown type'
}

/** Returns why a request failed, in words that the model may read: no address of this machine's network. */
function causeOf(error: unknown): string {
  const { code, message } = Object(Object(error).cause ?? error) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return CAUSES[code] ?? 'the connection failed'
  return typeof message === 'string' && message.startsWith('refused:') ? message : 'the connection failed'
}

const CAUSES: { readonly [code: string]: string } = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it is too large',
  ERR_REFUSED_ADDRESS: 'addresses of this network may not be opened',
}
