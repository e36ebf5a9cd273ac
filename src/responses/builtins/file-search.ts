import type { ItemStatus, OfItemOnly } from '../wire-fields.js'

/** What of a vector store is searched, by the attributes of its files. */
export type FileSearchFilter =
  | {
      readonly type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin'
      readonly key: string
      readonly value: string | number | boolean | readonly (string | number)[]
    }
  /** Those that it joins, as the client wrote them: the API's type says no more of them. */
  | { readonly type: 'and' | 'or'; readonly filters: readonly unknown[] }

/** A search of files that the host runs: what the model writes for `file_search`. */
export interface FileSearchTool {
  readonly type: 'file_search'
  readonly vector_store_ids: readonly string[]
  readonly filters?: FileSearchFilter | null
  /** From 1 to 50. */
  readonly max_num_results?: number | null
  readonly ranking_options?: {
    readonly ranker?: string | null
    /** From 0 to 1: results below it are left out. */
    readonly score_threshold?: number | null
    readonly hybrid_search?: { readonly embedding_weight: number; readonly text_weight: number } | null
  } | null
}

/** A passage of a file that a search found. */
export interface FileSearchResult {
  readonly file_id: string
  readonly filename: string
  /** What the model reads of the file. */
  readonly text: string
  /** From 0 to 1: how well it fits. */
  readonly score?: number
  readonly attributes?: { readonly [name: string]: string | number | boolean } | null
}

export interface FileSearchCallItem {
  type: 'file_search_call'
  id: string
  status: ItemStatus | 'searching' | 'failed'
  /** Empty until the model has written them. */
  queries: string[]
  /** Null unless the request includes `file_search_call.results`, and before there are any. */
  results: FileSearchResult[] | null
}

export type FileSearchCallInProgressEvent = OfItemOnly<'file_search_call.in_progress'>
export type FileSearchCallSearchingEvent = OfItemOnly<'file_search_call.searching'>
export type FileSearchCallCompletedEvent = OfItemOnly<'file_search_call.completed'>

/** What `file_search` adds to the wire. */
export interface FileSearchWire {
  tool: FileSearchTool
  item: FileSearchCallItem
  event: FileSearchCallInProgressEvent | FileSearchCallSearchingEvent | FileSearchCallCompletedEvent
  result: {
    /** For a file search: what it found, the best first. The model may cite each. */
    readonly files?: readonly FileSearchResult[]
  }
}
