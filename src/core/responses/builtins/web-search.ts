import type { ItemFields, OfItemOnly } from '../wire-fields.js'

/** A web search, which the host runs: the model calls it as `browser`. */
export interface WebSearchTool {
  readonly type: 'web_search' | 'web_search_preview' | `web_search_${number}_${string}` | `web_search_preview_${string}`
  readonly search_context_size?: 'low' | 'medium' | 'high' | null
  readonly search_content_types?: readonly ('text' | 'image')[] | null
  readonly external_web_access?: boolean | null
  /** `blocked_domains`: as in the Messages API. */
  readonly filters?: {
    readonly allowed_domains?: readonly string[] | null
    readonly blocked_domains?: readonly string[] | null
  } | null
  readonly user_location?: {
    readonly type?: 'approximate' | null
    readonly city?: string | null
    readonly country?: string | null
    readonly region?: string | null
    readonly timezone?: string | null
  } | null
}

/** A page that a search found. `title`: if the request includes `web_search_call.results`, and the host's tool names it. */
export interface WebSearchSource {
  type: 'url'
  url: string
  title?: string
}

/** The action of a web search. Fields that the model omitted and unknown page addresses are empty. */
export type WebSearchAction =
  | { type: 'search'; query: string; sources?: WebSearchSource[] }
  | { type: 'open_page'; url: string }
  | { type: 'find_in_page'; pattern: string; url: string }

/** A search, or a page that the model opened or searched, as an output item. The host runs it. */
export interface WebSearchCallItem extends ItemFields<'searching' | 'failed'> {
  type: 'web_search_call'
  action: WebSearchAction
}

/** The model begins to call the web search. Follows `response.output_item.added`. */
export interface WebSearchCallInProgressEvent extends OfItemOnly<'web_search_call.in_progress'> {}
/** The action is complete, and the host runs it. */
export interface WebSearchCallSearchingEvent extends OfItemOnly<'web_search_call.searching'> {}
/** The search has ended. */
export interface WebSearchCallCompletedEvent extends OfItemOnly<'web_search_call.completed'> {}

/** A page that the model's browser showed, with the cursor by which the model refers to it. */
export interface CitedPage {
  /** The number by which the model cites the page. */
  readonly cursor: number
  /** The address of the page. */
  readonly url: string
  /** Default: the page's domain. */
  readonly title?: string
  /** What the model has read of it, with numbered lines (`L3: ...`), for `cited_text`. Default: the output of the call. */
  readonly text?: string
}

/** The wire form of `web_search`. */
export interface WebSearchWire {
  tool: WebSearchTool
  item: WebSearchCallItem
  event: WebSearchCallInProgressEvent | WebSearchCallSearchingEvent | WebSearchCallCompletedEvent
  result: {
    /** For a web search: its sources. Sent if the request includes `web_search_call.action.sources`. */
    readonly sources?: readonly { readonly url: string; readonly title?: string }[]
    /** For a web search: the pages that the model saw, with the cursors by which it may cite them. */
    readonly pages?: readonly CitedPage[]
  }
}

declare module './wires.js' {
  interface BuiltinWires {
    web_search: WebSearchWire
  }
}
