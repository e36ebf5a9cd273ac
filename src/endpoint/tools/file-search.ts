/**
 * A tool that answers the model's file searches. docs/tools.md explains it.
 *
 * @packageDocumentation
 */

import { checkList } from '../../core/options/check-list.js'
import type { FileSearchFilter, FileSearchResult, FileSearchTool } from '../../core/responses/items.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { wholeNumber } from '../../shared/options/checks.js'
import type { Tool } from './tool.js'

export type { FileSearchFilter, FileSearchResult, FileSearchTool } from '../../core/responses/items.js'
export type { HostedCall, Tool, ToolContext, ToolProgress } from './tool.js'

/** The context of a search, beside its queries and filters. */
export interface FileSearchContext {
  /** The vector stores in the request, or in the operator's offer. Untrusted if a client declares them: check its access. */
  readonly vectorStoreIds: readonly string[]
  /** The maximum number of results. Further ones are dropped. */
  readonly maxResults: number
  /** The `ranking_options` of the request. Empty if it has none. */
  readonly ranking: NonNullable<FileSearchTool['ranking_options']>
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * Searches files.
 *
 * @param queries - written by the model: one or more, none of them blank
 * @param filters - from the tool's declaration; undefined without any
 * @returns passages, best first. The model reads `filename` and `text`; the client receives all fields if its request includes
 *   `file_search_call.results`
 */
export type SearchFiles = (
  queries: readonly string[],
  filters: FileSearchFilter | undefined,
  context: FileSearchContext,
) => readonly FileSearchResult[] | Promise<readonly FileSearchResult[]>

/** Options of `fileSearch`. */
export interface FileSearchOptions {
  /** The maximum number of results if the request sets none. 1 to 50. Default 20, as at OpenAI. */
  readonly maxResults?: number
  /** The maximum length of all results' texts together, in UTF-16 units. The rest is dropped. Default 100,000. */
  readonly maxTextLength?: number
  /** The maximum number of queries per call. With more, the call fails, and the model reads why. Default 10. */
  readonly maxQueries?: number
}

const OPTIONS: OptionTable<FileSearchOptions> = {
  maxResults: wholeNumber(1, 50),
  maxTextLength: wholeNumber(1),
  maxQueries: wholeNumber(1),
}

/**
 * Creates a tool that runs the model's file searches. With it, the model is told of `file_search` if a request declares it.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { fileSearch } from 'harmony-responses/tools/file-search'
 *
 * const passages = [{ file_id: 'file-1', filename: 'otters.md', text: 'Otters hold hands.', score: 0.9 }]
 * const search = fileSearch((queries, filters, { maxResults }) =>
 *   passages.filter(({ text }) => queries.some((query) => text.includes(query))).slice(0, maxResults),
 * ) // for `tools` of respond or createResponsesApp
 * ```
 */
export function fileSearch(search: SearchFiles, options: FileSearchOptions = {}): Tool {
  check(typeof search === 'function', 'search', 'a function', search)
  checkOptions('fileSearch', options, OPTIONS)
  const { maxResults: byDefault = 20, maxTextLength = 100_000, maxQueries = 10 } = options
  return {
    answers: (call) => call.type === 'file_search_call',

    async run(call, { request, signal }) {
      const queries = call.type === 'file_search_call' ? call.queries : []
      if (queries.length === 0) return { error: { message: 'no queries: give a list of texts as `queries`' } }
      if (queries.length > maxQueries) return { error: { message: `too many queries: at most ${maxQueries}` } }
      const { vector_store_ids = [], filters, max_num_results, ranking_options } = declaredIn(request)
      const maxResults = max_num_results ?? byDefault
      const ranking = ranking_options ?? {}
      const found = await search(queries, filters ?? undefined, {
        ...{ vectorStoreIds: vector_store_ids, maxResults, ranking, signal },
      })
      // From the host, which may be plain JavaScript.
      check(Array.isArray(found), 'results', 'an array', found)
      checkList('results', found, ['file_id', 'filename', 'text'])
      const minScore = ranking.score_threshold ?? 0
      const good = found.filter(({ score = 1 }) => score >= minScore).slice(0, maxResults)
      return { files: withinLength(good, maxTextLength) }
    },

    // A search has no effects.
    isRepeatable: () => true,
  }
}

/** Returns the declaration in the request or in the operator's offer. */
function declaredIn({ tools }: ResponseRequest): Partial<FileSearchTool> {
  return (tools ?? []).find((tool): tool is FileSearchTool => tool.type === 'file_search') ?? {}
}

/** Returns the results up to a total length of their texts. The text that exceeds it is cut. */
function withinLength(results: readonly FileSearchResult[], max: number): FileSearchResult[] {
  const kept: FileSearchResult[] = []
  let left = max
  for (const result of results) {
    if (left <= 0) break
    const text = cut(result.text, left)
    if (text === result.text) {
      kept.push(result)
      left -= text.length
    } else {
      // A later result that is shorter would take the place of one that was found to be better.
      if (text !== '') kept.push({ ...result, text })
      break
    }
  }
  return kept
}

/** Cuts a text, never within a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '')
}
