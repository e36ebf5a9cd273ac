import { showFiles } from '../../citations/pages.js'
import { listOf } from '../../options/check-list.js'
import { QUERIES, queriesIn } from '../../recipients/builtins/file-search.js'
import { copyOf } from '../../responses/copy-of.js'
import type { FileSearchResult } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { argumentsOf } from '../parts/arguments-of.js'

/*
 * file_search_call: file_search.search, run by the host
 *
 *     output_item.added                without queries: they are not known yet
 *       file_search_call.in_progress
 *       file_search_call.searching     at the terminator
 *       file_search_call.completed     not before the result
 *     output_item.done
 *
 * The API has no `.failed` event for it: only the status of the done item says "failed".
 */

export interface FileSearchCall extends ItemState {
  type: 'file_search_call'
  queries: string[]
  /** Null if the request does not include results, or before they exist. */
  results: FileSearchResult[] | null
}

/** The `include` value that asks for results. Without it they are null, as in captured streams. */
const RESULTS = 'file_search_call.results'

export const fileSearchCall: ItemKind<FileSearchCall> = {
  prefix: 'fs',
  result: 'completes',
  lists: { files: listOf('file_id', 'filename', 'text') },

  create: () => ({ queries: [], results: null }),

  finish(item, context) {
    item.queries = argumentsOf(item, QUERIES, queriesIn, context) ?? item.queries
  },

  resolve(item, result, context) {
    const { files } = result ?? {}
    if (files === undefined) return
    showFiles(context, item.id, files)
    if (context.includes(RESULTS)) item.results = files.map(shownResult)
  },

  wire: (item) => ({ queries: copyOf(item.queries), results: copyOf(item.results) }),
}

/** Copies the API's fields alone: a host's result can have others, which the client may not see. */
function shownResult({ file_id, filename, text, score, attributes }: FileSearchResult): FileSearchResult {
  return {
    ...{ file_id, filename, text },
    ...(Number.isFinite(score) && { score: score as number }),
    ...(attributes !== undefined && { attributes }),
  }
}
