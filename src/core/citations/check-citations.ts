import { check, HarmonyResponsesError } from '../../shared/errors.js'
import type { CitationStage } from './citation-stage.js'
import { createPages } from './pages.js'

/**
 * Checks the citation stage, if there is one.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkCitations(citations: CitationStage | undefined): void {
  if (citations !== undefined) check(isStage(citations), 'citations', 'urlCitations()', citations)
}

/**
 * Whether it is a stage: a stage returns [] for empty input. `urlCitations` itself, passed without being called,
 * rejects that as its options.
 */
function isStage(citations: CitationStage): boolean {
  try {
    const result: unknown = citations(
      { held: '', tokens: [], length: 0 },
      { text: '', tokens: [], isLast: true },
      createPages(),
    )
    return Array.isArray(result)
  } catch (error) {
    if (error instanceof HarmonyResponsesError) return false
    throw error
  }
}
