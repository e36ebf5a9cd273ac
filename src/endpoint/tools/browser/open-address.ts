import type { ToolError } from '../tool-error.js'
import { MAX_URL } from './page.js'

export interface OpenOptions {
  readonly fetch: typeof globalThis.fetch
  /** Whether the model may see this address. */
  readonly isAllowed: (url: URL) => boolean
  readonly maxRedirects: number
  readonly userAgent: string
  /** Creates the error that the model reads. */
  readonly failed: (why: string) => ToolError
}

const REDIRECTIONS = new Set([301, 302, 303, 307, 308])

/**
 * Opens an address, through its redirections.
 *
 * @param check - called with each address before it is opened
 * @throws ToolError, and what `fetch` throws
 */
export async function openAddress(
  address: string,
  signal: AbortSignal,
  { fetch, isAllowed, maxRedirects, userAgent, failed }: OpenOptions,
  check: (url: URL) => Promise<void> = async () => {},
): Promise<{ readonly url: URL; readonly response: Response }> {
  let url = readable(address, failed)
  for (let hops = 0; ; hops++) {
    if (!isAllowed(url)) throw failed(`${url.host} is not allowed`)
    await check(url)
    const response = await fetch(url.href, {
      ...{ method: 'GET', redirect: 'manual', signal },
      headers: { accept: 'text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.5', 'user-agent': userAgent },
    })
    const location = REDIRECTIONS.has(response.status) ? response.headers.get('location') : null
    if (location === null) return { url, response }
    await response.body?.cancel()
    if (hops >= maxRedirects) throw failed('too many redirections')
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
