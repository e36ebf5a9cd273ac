import { shortened } from '../../../shared/shortened.js'
import { createWork, type Pause, withPauses } from '../../../shared/slices.js'
import { withinTime } from '../deadline.js'
import { ToolError } from '../tool-error.js'
import { cleanText } from './clean-text.js'
import type { PageText } from './html-page.js'
import { MAX_URL, type Page } from './page.js'
import { type CreateTokenizer, readHtml } from './read-html.js'
import { wrapInSlices } from './wrap.js'

export interface LoadOptions {
  readonly fetch: typeof globalThis.fetch
  readonly Tokenizer: CreateTokenizer
  /** Whether the model may see this address. */
  readonly isAllowed: (url: URL) => boolean
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly seconds: number
  readonly userAgent: string
  readonly pause: Pause
}

/** The length of an address in an error, and of a title. Both come with what is shown of a page, whatever its length. */
const MAX_SHOWN = 200
const MAX_TITLE = 200

const REDIRECTIONS = new Set([301, 302, 303, 307, 308])
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
  let url = readable(address, failed)
  for (let hops = 0; ; hops++) {
    if (!options.isAllowed(url)) throw failed(`${url.host} is not allowed`)
    const response = await options.fetch(url.href, {
      ...{ method: 'GET', redirect: 'manual', signal },
      headers: { accept: 'text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.5', 'user-agent': options.userAgent },
    })
    const location = REDIRECTIONS.has(response.status) ? response.headers.get('location') : null
    if (location === null) return await readPage(url, response, options, failed)
    await response.body?.cancel()
    if (hops >= options.maxRedirects) throw failed('too many redirections')
    if (!URL.canParse(location, url.href)) throw failed('it leads to an invalid address')
    url = readable(new URL(location, url).href, failed)
  }
}

/** Returns an address without its fragment. @throws ToolError if it is none that may be loaded */
function readable(address: string, failed: (why: string) => ToolError): URL {
  if (address.length > MAX_URL) throw failed('it is too long')
  const whole = /^[a-z][a-z\d+.-]*:/i.test(address) ? address : `https://${address}`
  if (!URL.canParse(whole)) throw failed('it is not a valid address')
  const url = new URL(whole)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw failed('only http and https can be opened')
  if (url.username !== '' || url.password !== '') throw failed('an address must not contain a password')
  url.hash = ''
  return url
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

/** Reads a body up to a number of bytes, counted after decompression. */
async function readBytes(response: Response, maxBytes: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const pieces: Uint8Array[] = []
  let length = 0
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    const left = maxBytes - length
    pieces.push(value.length > left ? value.subarray(0, left) : value)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      break
    }
  }
  const bytes = new Uint8Array(Math.min(length, maxBytes))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return { bytes, isCut: length > maxBytes }
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
  ERR_REFUSED_ADDRESS: 'addresses of this network may not be opened',
}
