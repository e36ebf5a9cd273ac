import type { HistoryEntry } from '../prompt/history.js'
import type { FinishedResponse } from './store.js'

/** Converts transcripts to typed arrays: four bytes per id, instead of eight in a list. */
export function compacted(finished: FinishedResponse): FinishedResponse {
  const history = finished.history.map((entry): HistoryEntry => {
    const isList = 'tokens' in entry && Array.isArray(entry.tokens)
    return isList ? { ...entry, tokens: Uint32Array.from(entry.tokens) } : entry
  })
  return { ...finished, history }
}
