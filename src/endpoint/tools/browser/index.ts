/**
 * The browser that gpt-oss was trained with, for requests that declare `web_search`. docs/tools.md explains it.
 *
 * @packageDocumentation
 */

export type { EarlierResult, HostedCall, Tool, ToolContext, ToolProgress } from '../tool.js'
export { ToolError } from '../tool-error.js'
export {
  brave,
  exa,
  type SearchBackendName,
  type SearchServiceOptions,
  type SearxngOptions,
  searxng,
  tavily,
} from './backends.js'
export { type BrowserToolOptions, createBrowserTool } from './browser-tool.js'
export { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js'
export type { SearchLocation, SearchWeb, WebSearchContext, WebSearchResult } from './search-backend.js'
