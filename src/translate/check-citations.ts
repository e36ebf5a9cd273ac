import { check } from '../errors.js'
import type { CitationStage } from './citation-stage.js'
import { createPages } from './pages.js'

/**
 * Checks the citation stage, if there is one.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkCitations(citations: CitationStage | undefined): void {
  // A stage returns [] for empty input. `urlCitations` itself, passed without being called, returns a function.
  const shown: unknown = citations?.(
    { held: '', tokens: [], length: 0 },
    { text: '', tokens: [], isLast: true },
    createPages(),
  )
  check(citations === undefined || Array.isArray(shown), 'citations', 'urlCitations()', citations)
}
