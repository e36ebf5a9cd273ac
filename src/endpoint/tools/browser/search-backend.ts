/** A result of a web search. */
export interface WebSearchResult {
  /** May contain HTML, of which only the text is shown. */
  readonly title: string
  /** An http or https URL; a result with another one is left out. */
  readonly url: string
  /** A passage of the page, or its description; may contain HTML, of which only the text is shown. */
  readonly snippet: string
}

/** Where the user is, as far as the request says. */
export interface SearchLocation {
  /** As the client wrote it. */
  readonly city?: string | null
  /** ISO 3166-1, two letters. */
  readonly country?: string | null
  /** As the client wrote it: a state, for example. */
  readonly region?: string | null
  /** IANA. */
  readonly timezone?: string | null
}

/** What a search may regard beside its query. */
export interface WebSearchContext {
  /** The maximum number of results: further ones are dropped. */
  readonly maxResults: number
  /**
   * Only results of these domains and their subdomains are wanted. Others are dropped in any case: a backend that regards
   * it finds more.
   */
  readonly allowedDomains: readonly string[] | undefined
  /** No results of these domains and their subdomains are wanted. */
  readonly blockedDomains: readonly string[] | undefined
  /** Undefined if the request does not say. */
  readonly location: SearchLocation | undefined
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * Searches the web. What it throws goes to the host's `onError`, and the model reads that its call failed; a
 * `ToolError`'s message is for the model.
 *
 * @param query - written by the model; not blank
 */
export interface SearchWeb {
  (query: string, context: WebSearchContext): readonly WebSearchResult[] | Promise<readonly WebSearchResult[]>
  /**
   * The fields of a location that it regards: if a request names others, the host is told by a diagnostic
   * `ignored_parameter`. Default: all.
   */
  readonly regards?: readonly (keyof SearchLocation)[]
}
