import { check } from '../errors.js'
import { checkOptions, type OptionTable } from '../options/check-options.js'
import { wholeNumber } from '../options/checks.js'
import type { FileSearchFilter, FileSearchResult, FileSearchTool } from '../responses/items.js'
import type { ResponseRequest } from '../responses/request.js'
import type { Tool } from './tool.js'

export type { FileSearchFilter, FileSearchResult, FileSearchTool } from '../responses/items.js'
export type { HostedCall, Tool, ToolContext, ToolProgress } from './tool.js'

/** What a search is given beside its queries and filters. */
export interface FileSearchContext {
  /** The vector stores that the request, or the operator's offer, names. They are the client's word: check what it may read. */
  readonly vectorStoreIds: readonly string[]
  /** How many results are wanted at most. More are left out. */
  readonly maxResults: number
  readonly ranking: NonNullable<FileSearchTool['ranking_options']>
  /** Aborts when the result is not needed any more. */
  readonly signal: AbortSignal
}

/**
 * Finds passages of files.
 *
 * @param queries - what the model searches for: one or more, none of them blank
 * @param filters - of the tool as it is declared; undefined without any
 * @returns what it found, the best first. The model reads `filename` and `text`; the client is shown all of it if its request
 *   includes `file_search_call.results`
 */
export type SearchFiles = (
  queries: readonly string[],
  filters: FileSearchFilter | undefined,
  context: FileSearchContext,
) => readonly FileSearchResult[] | Promise<readonly FileSearchResult[]>

export interface FileSearchOptions {
  /** How many results the model reads of a request that does not say it. 1 to 50. Default 20, as at OpenAI. */
  readonly maxResults?: number
  /** The longest text of all results together, in UTF-16 units: what is behind it is left out. Default 100,000. */
  readonly maxTextLength?: number
  /** How many queries one call may have. The model reads that it wrote too many. Default 10. */
  readonly maxQueries?: number
}

const OPTIONS: OptionTable<FileSearchOptions> = {
  maxResults: wholeNumber(1, 50),
  maxTextLength: wholeNumber(1),
  maxQueries: wholeNumber(1),
}

/**
 * A tool that runs the model's file searches, so that it is told of the tool `file_search` of a request:
 *
 *     createResponsesApp({ engine, tools: [fileSearch((queries, filters) => index.search(queries, filters))] })
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function fileSearch(search: SearchFiles, options: FileSearchOptions = {}): Tool {
  check(typeof search === 'function', 'search', 'a function', search)
  checkOptions('fileSearch', options, OPTIONS)
  const { maxResults: most = 20, maxTextLength = 100_000, maxQueries = 10 } = options
  return {
    answers: (call) => call.type === 'file_search_call',

    async run(call, { request, signal }) {
      const queries = call.type === 'file_search_call' ? call.queries : []
      if (queries.length === 0) return { error: { message: 'no queries: give a list of texts as `queries`' } }
      if (queries.length > maxQueries) return { error: { message: `too many queries: at most ${maxQueries}` } }
      const { vector_store_ids = [], filters, max_num_results, ranking_options } = declaredIn(request)
      const maxResults = max_num_results ?? most
      const ranking = ranking_options ?? {}
      const found = await search(queries, filters ?? undefined, {
        ...{ vectorStoreIds: vector_store_ids, maxResults, ranking, signal },
      })
      checkFound(found)
      const least = ranking.score_threshold ?? 0
      const good = found.filter(({ score = 1 }) => score >= least).slice(0, maxResults)
      return { files: withinLength(good, maxTextLength) }
    },

    // It only reads.
    isRepeatable: () => true,
  }
}

/** The search is the host's code, and may be plain JavaScript. */
function checkFound(found: unknown): void {
  check(Array.isArray(found), 'results', 'an array', found)
  for (const [index, result] of found.entries()) {
    for (const field of ['file_id', 'filename', 'text']) {
      const value: unknown = Object(result)[field]
      check(typeof value === 'string', `results[${index}].${field}`, 'a string', value)
    }
  }
}

/** The tool as the request has it, or the operator's offer. */
function declaredIn({ tools }: ResponseRequest): Partial<FileSearchTool> {
  return (tools ?? []).find((tool): tool is FileSearchTool => tool.type === 'file_search') ?? {}
}

/** The results up to a length of their texts. That of the one that passes it is cut. */
function withinLength(results: readonly FileSearchResult[], most: number): FileSearchResult[] {
  const kept: FileSearchResult[] = []
  let left = most
  for (const result of results) {
    if (left <= 0) break
    const text = cut(result.text, left)
    left -= text.length
    kept.push(text === result.text ? result : { ...result, text })
  }
  return kept
}

/** A text without a half of a surrogate pair at its end. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}
