import { citableFiles } from '../../../core/recipients/builtins/file-search.js'
import type { CitableFiles } from '../../../core/responses/call-result.js'
import type { FileSearchCallItem } from '../../../core/responses/items.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { HistoryEntry } from '../../prompt/history.js'
import { filesOfForm } from '../../prompt/sampled-form.js'

/** The maximum number of passages of earlier searches that can be cited: those of the latest ones. */
const MAX_KNOWN = 1_000

/**
 * Returns the files that searches in the conversation found: the model may cite in each answer what it has read in an
 * earlier one. They are in the host's records, in seals, and in items that a client sends back with their results.
 */
export function knownFiles({ input }: ResponseRequest, history: readonly HistoryEntry[]): CitableFiles | undefined {
  const known = new Map<string, CitableFiles[string]>()
  const add = (files: CitableFiles): void => {
    for (const [mark, { file_id, filename }] of Object.entries(files)) {
      // A client may send results without them.
      if (typeof file_id === 'string' && typeof filename === 'string') known.set(mark, { file_id, filename })
    }
  }
  for (const entry of history) {
    const files = 'sealed' in entry ? entry.form && filesOfForm(entry.form) : entry.files
    if (files) add(files)
  }
  for (const item of Array.isArray(input) ? (input as readonly Partial<FileSearchCallItem>[]) : []) {
    if (item.type === 'file_search_call' && Array.isArray(item.results)) add(citableFiles(item.results, item.id ?? ''))
  }
  return known.size === 0 ? undefined : Object.fromEntries([...known].slice(-MAX_KNOWN))
}
