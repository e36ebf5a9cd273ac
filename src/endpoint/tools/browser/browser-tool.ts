import { undatedType } from '../../../core/recipients/undated-type.js'
import type { WebSearchTool } from '../../../core/responses/items.js'
import type { ResponseRequest, UnknownTool } from '../../../core/responses/request.js'
import { check } from '../../../shared/errors.js'
import { loadPackage } from '../../../shared/missing-package.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, aString, listOf, oneOf, wholeNumber } from '../../../shared/options/checks.js'
import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import { ExpiringBytes } from '../../flow/expiring-bytes.js'
import { nextTurn } from '../../flow/next-turn.js'
import { withinTime } from '../deadline.js'
import type { Tool } from '../tool.js'
import { failureOf, ToolError } from '../tool-error.js'
import { Browser } from './browser.js'
import { isOfDomain } from './domains.js'
import { createGuardedFetch } from './guarded-fetch.js'
import { loadPage } from './load-page.js'
import type { Page } from './page.js'
import type { CreateTokenizer } from './read-html.js'
import { Robots } from './robots.js'
import type { SearchLocation, SearchWeb } from './search-backend.js'

/** Options of `createBrowserTool`. */
export interface BrowserToolOptions {
  /** Searches the web: `searxng(...)`, `brave(...)`, `exa(...)`, `tavily(...)`, or a function of yours. */
  readonly backend: SearchWeb
  /**
   * Loads pages, whose addresses the model and other pages write. Default: `await createGuardedFetch()`. A `fetch` of
   * yours has to refuse the addresses of your network itself.
   */
  readonly fetch?: typeof globalThis.fetch
  /** Only pages and results of these domains and their subdomains are shown. Default: all. */
  readonly allowedDomains?: readonly string[]
  /** No pages and results of these domains and their subdomains are shown. Default: none. */
  readonly blockedDomains?: readonly string[]
  /** How many results a search shows unless the request says so: 1 to 50. Default 10. */
  readonly maxResults?: number
  /** The maximum size of a page in bytes after decompression; the rest is left out. Default 4 MiB. */
  readonly maxPageBytes?: number
  /** The maximum length of what a call shows of a page, in UTF-16 units. Default 6,000. */
  readonly maxViewLength?: number
  /** The maximum number of redirections of a page. Default 5. */
  readonly maxRedirects?: number
  /** The maximum time for a page, and for a search, in seconds. Default 15. */
  readonly seconds?: number
  /** The size of all pages that are kept to scroll and search them, in bytes. Default 32 MiB. */
  readonly cacheBytes?: number
  /**
   * Whether a page is loaded only if the robots.txt of its site allows it to `userAgent`, or to all (RFC 9309). A site whose
   * robots.txt fails allows nothing, one without it all. Default `ignore`: each page is one that a user asked about.
   */
  readonly robots?: 'ignore' | 'obey'
  /** How pages are asked for. Its letters before a `/` are its name in a robots.txt. Default `harmony-responses`. */
  readonly userAgent?: string
}

const OPTIONS: OptionTable<BrowserToolOptions> = {
  backend: aFunction,
  fetch: aFunction,
  allowedDomains: listOf(aString, 'a list of domains'),
  blockedDomains: listOf(aString, 'a list of domains'),
  maxResults: wholeNumber(1, 50),
  maxPageBytes: wholeNumber(1),
  maxViewLength: wholeNumber(1),
  maxRedirects: wholeNumber(0, 20),
  seconds: wholeNumber(1, 600),
  cacheBytes: wholeNumber(0),
  robots: oneOf('ignore', 'obey'),
  userAgent: aString,
}

/** How long a page is kept that nobody scrolls, in seconds: pages change. */
const KEPT_SECONDS = 900

/**
 * Creates the browser that gpt-oss was trained with: the model searches, opens pages, scrolls them, and finds text in them.
 * With it, the model is told of the tool if a request declares `web_search`. Its state is in the conversation alone, so
 * that any process can continue it: a page that this one does not have is loaded again. It needs the package `htmlparser2`
 * (12), and those of `createGuardedFetch` unless `fetch` is given.
 *
 * Source: the pages that gpt-oss's own browser tool makes.
 *
 * @throws HarmonyResponsesError `bad_option`, also if a package is not installed
 *
 * @example
 * ```ts
 * import { createBrowserTool } from 'harmony-responses/tools/browser'
 *
 * const browser = await createBrowserTool({
 *   backend: (query) => [{ title: 'Otters', url: 'https://example.com/otters', snippet: `All of ${query}.` }],
 *   fetch: async () => new Response('<h1>Otters</h1><p>They hold hands.</p>'),
 * }) // for `tools` of respond or createResponsesApp
 * ```
 */
export async function createBrowserTool(options: BrowserToolOptions): Promise<Tool> {
  checkOptions('createBrowserTool', options, OPTIONS, ['backend'])
  const { backend, maxResults = 10, maxPageBytes = 4_194_304, maxViewLength = 6_000, maxRedirects = 5 } = options
  const { seconds = 15, cacheBytes = 33_554_432, userAgent = 'harmony-responses' } = options
  const { Tokenizer } = await loadPackage<{ readonly Tokenizer: CreateTokenizer }>(
    'createBrowserTool',
    'htmlparser2',
    12,
  )
  const fetch = options.fetch ?? (await createGuardedFetch())
  const cache = new ExpiringBytes<Page>({ max: cacheBytes, seconds: KEPT_SECONDS, clock: steadySeconds })
  const robots = options.robots === 'obey' ? new Robots(userAgent) : undefined
  const tooLate = (): ToolError => new ToolError(`The search was not answered within ${seconds} seconds.`)
  return {
    answers: (call) => call.type === 'web_search_call',

    async run(call, context) {
      check(call.type === 'web_search_call', 'call', 'a web search', call.type)
      const { request, signal } = context
      const wanted = wantedBy(request)
      const isAllowed = (url: URL): boolean =>
        [options.allowedDomains, wanted.allowedDomains].every((list) => list === undefined || isOfDomain(url, list)) &&
        ![options.blockedDomains, wanted.blockedDomains].some((list) => list !== undefined && isOfDomain(url, list))
      const about = {
        maxResults: wanted.maxResults ?? maxResults,
        allowedDomains: wanted.allowedDomains ?? options.allowedDomains,
        blockedDomains: wanted.blockedDomains ?? options.blockedDomains,
        location: wanted.location,
      }
      const loading = {
        fetch,
        Tokenizer,
        isAllowed,
        maxBytes: maxPageBytes,
        maxRedirects,
        seconds,
        userAgent,
        robots,
        pause: nextTurn,
      }
      const browser = new Browser(context, {
        cache,
        maxViewLength,
        isAllowed,
        load: (url) => loadPage(url, signal, loading),
        search: (query) =>
          withinTime(seconds, signal, async (limit) => backend(query, { ...about, signal: limit }), tooLate),
        maxResults: about.maxResults,
      })
      try {
        return await browser.run(call.action.type)
      } catch (error) {
        return failureOf(error)
      }
    },

    ignores: (declaration) => ignoredOf(declaration, backend),

    // Neither a search nor a page that is loaded has effects.
    isRepeatable: () => true,
  }
}

/** Returns what a search does not regard of a declaration, as paths within it. */
function ignoredOf(declaration: UnknownTool, { regards }: SearchWeb): string[] {
  if (!isWebSearch(declaration)) return []
  const { user_location, search_content_types, external_web_access } = declaration
  const { type: _, ...location } = user_location ?? {}
  const unmet = Object.entries(location).filter(
    ([field, value]) => value && regards?.includes(field as keyof SearchLocation) === false,
  )
  return [
    ...unmet.map(([field]) => `user_location.${field}`),
    ...(search_content_types?.includes('image') ? ['search_content_types'] : []),
    // There is no index to search without the web.
    ...(external_web_access === false ? ['external_web_access'] : []),
  ]
}

function isWebSearch(tool: UnknownTool): tool is WebSearchTool {
  return undatedType(tool.type) === 'web_search'
}

/** The numbers of results by `search_context_size`. */
const RESULTS = { low: 5, medium: 10, high: 20 } as const

/** Returns what the request's declaration says. */
function wantedBy({ tools }: ResponseRequest) {
  const { filters, user_location, search_context_size } =
    (tools ?? []).find(isWebSearch) ?? ({} as Partial<WebSearchTool>)
  const { allowed_domains, blocked_domains } = filters ?? {}
  return {
    allowedDomains: allowed_domains?.length ? allowed_domains : undefined,
    blockedDomains: blocked_domains?.length ? blocked_domains : undefined,
    location: user_location ?? undefined,
    maxResults: search_context_size ? RESULTS[search_context_size] : undefined,
  }
}
