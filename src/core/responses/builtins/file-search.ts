import type { ItemFields, OfItemOnly } from '../wire-fields.js'

/** Selects files of a vector store by their attributes. */
export type FileSearchFilter =
  | {
      readonly type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin'
      readonly key: string
      readonly value: string | number | boolean | readonly (string | number)[]
    }
  /** The joined filters, unchecked: the API's type allows any value here. */
  | { readonly type: 'and' | 'or'; readonly filters: readonly unknown[] }

/** A file search, which the host runs: the model calls it as `file_search`. */
export interface FileSearchTool {
  readonly type: 'file_search'
  readonly vector_store_ids: readonly string[]
  readonly filters?: FileSearchFilter | null
  /** From 1 to 50. */
  readonly max_num_results?: number | null
  readonly ranking_options?: {
    readonly ranker?: string | null
    /** From 0 to 1. Results with a lower score are omitted. */
    readonly score_threshold?: number | null
    readonly hybrid_search?: { readonly embedding_weight: number; readonly text_weight: number } | null
  } | null
}

/** A passage of a file, as a search result. */
export interface FileSearchResult {
  readonly file_id: string
  readonly filename: string
  /** The passage, which the model reads. */
  readonly text: string
  /** Relevance, from 0 to 1. */
  readonly score?: number
  readonly attributes?: { readonly [name: string]: string | number | boolean } | null
}

/** A search of files by the host, as an output item. */
export interface FileSearchCallItem extends ItemFields<'searching' | 'failed'> {
  type: 'file_search_call'
  /** Empty until the call's body is complete. */
  queries: string[]
  /** Null until the search ends, and unless the request includes `file_search_call.results`. */
  results: FileSearchResult[] | null
}

/** The model begins to call the file search. Follows `response.output_item.added`. */
export interface FileSearchCallInProgressEvent extends OfItemOnly<'file_search_call.in_progress'> {}
/** The queries are complete, and the host searches. */
export interface FileSearchCallSearchingEvent extends OfItemOnly<'file_search_call.searching'> {}
/** The search has ended; its results are in `response.output_item.done`. */
export interface FileSearchCallCompletedEvent extends OfItemOnly<'file_search_call.completed'> {}

/** The wire form of `file_search`. */
export interface FileSearchWire {
  tool: FileSearchTool
  item: FileSearchCallItem
  event: FileSearchCallInProgressEvent | FileSearchCallSearchingEvent | FileSearchCallCompletedEvent
  result: {
    /** For a file search: the results, best first. The model can cite each. */
    readonly files?: readonly FileSearchResult[]
  }
}

declare module './wires.js' {
  interface BuiltinWires {
    file_search: FileSearchWire
  }
}
