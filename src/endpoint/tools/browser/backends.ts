import { addressOf } from '../../../engines/sources/http/address.js'
import { fieldsOf, isFields } from '../../../shared/fields.js'
import { checkOptions, type OptionCheck, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, aString } from '../../../shared/options/checks.js'
import { readBytes } from './read-bytes.js'
import type { SearchLocation, SearchWeb, WebSearchContext, WebSearchResult } from './search-backend.js'

/** Options of `searxng`. */
export interface SearxngOptions {
  /** The address of the instance, with or without a user and a password. It has to answer in JSON (`search.formats` of its settings). */
  readonly url: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** Options of a search service. */
export interface SearchServiceOptions {
  /** The key of its API. */
  readonly apiKey: string
  /** Another address of the API: a proxy. Default: the service's own. */
  readonly url?: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** The name of a search backend that comes with the package. */
export type SearchBackendName = 'searxng' | 'brave' | 'exa' | 'tavily'

/** A service: how it is asked, and where its answer has the results. */
interface Service {
  readonly url: string
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>
  /** The parameters of the query if it is asked by GET, the body otherwise. */
  readonly method: 'GET' | 'POST'
  readonly ask: (query: string, context: WebSearchContext) => Readonly<Record<string, unknown>>
  /** The path to the results, and the names of a result's fields: of several, the first that it has. */
  readonly results: readonly string[]
  /** The fields of a location that are part of `ask`. */
  readonly regards: readonly (keyof SearchLocation)[]
  readonly snippet: readonly string[]
}

/** Sources: the services' public documentation of November 2026. */
const SERVICES: Readonly<Record<SearchBackendName, Service>> = {
  searxng: {
    url: '',
    headers: () => ({}),
    method: 'GET',
    ask: (query, context) => ({ q: withDomains(query, context), format: 'json' }),
    results: ['results'],
    regards: [],
    snippet: ['content'],
  },
  brave: {
    url: 'https://api.search.brave.com/res/v1/web/search',
    headers: (apiKey) => ({ 'x-subscription-token': apiKey }),
    method: 'GET',
    ask: (query, context) => ({
      q: withDomains(query, context),
      count: Math.min(context.maxResults, 20),
      country: context.location?.country ?? undefined,
    }),
    results: ['web', 'results'],
    regards: ['country'],
    snippet: ['description'],
  },
  exa: {
    url: 'https://api.exa.ai/search',
    headers: (apiKey) => ({ 'x-api-key': apiKey }),
    method: 'POST',
    ask: (query, { maxResults, allowedDomains, blockedDomains, location }) => ({
      query,
      numResults: maxResults,
      includeDomains: allowedDomains,
      excludeDomains: blockedDomains,
      userLocation: location?.country ?? undefined,
      contents: { highlights: true },
    }),
    results: ['results'],
    regards: ['country'],
    snippet: ['highlights', 'summary', 'text'],
  },
  tavily: {
    url: 'https://api.tavily.com/search',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    method: 'POST',
    ask: (query, { maxResults, allowedDomains, blockedDomains }) => ({
      query,
      max_results: Math.min(maxResults, 20),
      include_domains: allowedDomains,
      exclude_domains: blockedDomains,
    }),
    results: ['results'],
    regards: [],
    snippet: ['content'],
  },
}

// Its messages repeat no possible password.
const aUrl: OptionCheck = (value) => void addressOf(value)

const SEARXNG: OptionTable<SearxngOptions> = { url: aUrl, fetch: aFunction }
const SERVICE: OptionTable<SearchServiceOptions> = { apiKey: aString, url: aUrl, fetch: aFunction }

/**
 * Searches by a SearXNG instance. It regards allowed and blocked domains as far as its engines know `site:`, and no
 * location.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createBrowserTool, searxng } from 'harmony-responses/tools/browser'
 *
 * const browser = await createBrowserTool({ backend: searxng({ url: 'http://localhost:8888' }) })
 * ```
 */
export function searxng(options: SearxngOptions): SearchWeb {
  checkOptions('searxng', options, SEARXNG, ['url'])
  return searchBy('searxng', { apiKey: '', ...options }, '/search')
}

/**
 * Searches by Brave Search. It regards a location's country, and domains by `site:`.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { brave, createBrowserTool } from 'harmony-responses/tools/browser'
 *
 * const browser = await createBrowserTool({ backend: brave({ apiKey: 'key' }) })
 * ```
 */
export function brave(options: SearchServiceOptions): SearchWeb {
  checkOptions('brave', options, SERVICE, ['apiKey'])
  return searchBy('brave', options)
}

/**
 * Searches by Exa. It regards domains and a location's country.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createBrowserTool, exa } from 'harmony-responses/tools/browser'
 *
 * const browser = await createBrowserTool({ backend: exa({ apiKey: 'key' }) })
 * ```
 */
export function exa(options: SearchServiceOptions): SearchWeb {
  checkOptions('exa', options, SERVICE, ['apiKey'])
  return searchBy('exa', options)
}

/**
 * Searches by Tavily. It regards domains, and no location.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createBrowserTool, tavily } from 'harmony-responses/tools/browser'
 *
 * const browser = await createBrowserTool({ backend: tavily({ apiKey: 'key' }) })
 * ```
 */
export function tavily(options: SearchServiceOptions): SearchWeb {
  checkOptions('tavily', options, SERVICE, ['apiKey'])
  return searchBy('tavily', options)
}

/** The maximum size of a service's answer in bytes. */
const MAX_ANSWER = 4_194_304

function searchBy(name: SearchBackendName, options: SearchServiceOptions, path = ''): SearchWeb {
  const service: Service = SERVICES[name]
  const { apiKey, url = service.url, fetch = globalThis.fetch } = options
  const { endpoint, authorization } = addressOf(url)
  const search = async (query: string, context: WebSearchContext): Promise<readonly WebSearchResult[]> => {
    const asked = Object.entries(service.ask(query, context)).filter(([, value]) => value !== undefined)
    const target = new URL(endpoint(path))
    const isGet = service.method === 'GET'
    if (isGet) for (const [field, value] of asked) target.searchParams.set(field, String(value))
    const response = await fetch(target.href, {
      method: service.method,
      headers: {
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...service.headers(apiKey),
        ...(!isGet && { 'content-type': 'application/json' }),
      },
      ...(!isGet && { body: JSON.stringify(Object.fromEntries(asked)) }),
      signal: context.signal,
      redirect: 'error',
    })
    const answer = await readJson(name, response)
    const found = service.results.reduce<unknown>((value, field) => fieldsOf(value)[field], answer)
    if (!Array.isArray(found)) throw new Error(`${name}: the answer has no list ${service.results.join('.')}`)
    return found.flatMap((one: unknown) => resultOf(one, service))
  }
  return Object.assign(search, { regards: service.regards })
}

/** Reads an answer. Its text is in no message: it may repeat the key. */
async function readJson(name: string, response: Response): Promise<unknown> {
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`${name}: HTTP ${response.status}`)
  }
  const { bytes, isCut } = await readBytes(response, MAX_ANSWER)
  if (isCut) throw new Error(`${name}: the answer is larger than ${MAX_ANSWER} bytes`)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new Error(`${name}: the answer is not JSON`)
  }
}

function resultOf(one: unknown, { snippet }: Service): WebSearchResult[] {
  if (!isFields(one)) return []
  const { title, url } = one
  if (typeof url !== 'string') return []
  const passage = snippet.map((field) => one[field]).find((value) => value !== undefined && value !== null)
  const passages: readonly unknown[] = Array.isArray(passage) ? passage : [passage]
  const text = passages.filter((each) => typeof each === 'string').join(' … ')
  return [{ title: withoutTags(typeof title === 'string' ? title : ''), url, snippet: withoutTags(text) }]
}

const ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
}

/** Returns the text of what services mark up: `<strong>`, `&amp;`. */
function withoutTags(html: string): string {
  return html
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .replace(/&(#?\w{2,6});/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
}

/** Returns a query for a service that knows domains by `site:` alone. */
function withDomains(query: string, { allowedDomains = [], blockedDomains = [] }: WebSearchContext): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(' OR ')
  return [
    query,
    ...(allowed === '' ? [] : [`(${allowed})`]),
    ...blockedDomains.map((domain) => `-site:${domain}`),
  ].join(' ')
}
