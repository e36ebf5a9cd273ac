import { check, HarmonyResponsesError } from '../../shared/errors.js'
import type { OptionCheck } from '../../shared/options/check-options.js'
import { aFunction } from '../../shared/options/checks.js'
import type { CitationStage } from './citation-stage.js'
import { createPages } from './pages.js'

/** Accepts a citation stage. */
export const aCitationStage: OptionCheck = (value, path) => {
  aFunction(value, path)
  check(isStage(value as CitationStage), path, 'urlCitations()', value)
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
