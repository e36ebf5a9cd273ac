import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import type { ResponseObject } from '../../core/responses/response.js'
import { checkOptions } from '../../shared/options/check-options.js'
import type { Entry } from '../journal/entry.js'
import { TRANSLATE_ENTRIES_OPTIONS } from './check-respond-options.js'
import type { TranslateEntriesOptions } from './options.js'
import { ResolvedResponse } from './resolved-response.js'

/** A response, rebuilt from its entries. */
export interface EntryTranslation {
  /** The response after the entries so far; undefined before the first. */
  readonly response: ResponseObject | undefined
  /** The ids after the prompt so far, which `respond` finally returns: for a later request's `history`. */
  readonly transcript: readonly number[]
  /** The files that its searches found so far: for the same entry of that `history`. */
  readonly files: CitableFiles | undefined
  /**
   * Returns the events of an entry.
   *
   * @throws HarmonyResponsesError `bad_option` if it cannot follow the entries before it, or is of another behaviour
   */
  apply(entry: Entry): readonly ResponseStreamEvent[]
  /** Frees its resources. */
  dispose(): void
}

/**
 * Rebuilds the events of a response from its entries: those that `respond` yielded when it wrote them. A later reader,
 * or one in another process, so sees what the first one saw.
 *
 * @param options - those of `respond`
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { type Entry, respond, translateEntries } from 'harmony-responses/respond'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const entries: Entry[] = []
 * const options = { tokenTable: await loadTokenTable(), append: (added: readonly Entry[]) => void entries.push(...added) }
 * for await (const events of respond(request, { ...options, engine: scriptedEngine([answer('Hi!')]) })) send(events)
 *
 * const again = translateEntries({ tokenTable: options.tokenTable })
 * for (const entry of entries) send(again.apply(entry))
 * console.log(again.response?.status) // completed
 * again.dispose()
 * ```
 */
export function translateEntries(options: TranslateEntriesOptions): EntryTranslation {
  checkOptions<TranslateEntriesOptions>('translateEntries', options, TRANSLATE_ENTRIES_OPTIONS, ['tokenTable'])
  const { fold } = new ResolvedResponse(options)
  return {
    get response() {
      return fold.response
    },
    get transcript() {
      return fold.transcript
    },
    get files() {
      return fold.files
    },
    apply: (entry) => fold.apply(entry, entry.at),
    dispose: () => fold.dispose(),
  }
}
