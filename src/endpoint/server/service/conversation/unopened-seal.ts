import type { Diagnostic } from '../../../../core/diagnostics/diagnostic.js'

/** The maximum number of places that a diagnostic names. A conversation after a restart has one for each turn. */
const MAX_NAMED = 8

/** Returns the diagnostic for sealed content that the model continues without. It names the places, not the content. */
export function unopenedSeal(params: readonly string[]): Diagnostic {
  const more = params.length - MAX_NAMED
  const subject = `${params.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return { code: 'unopened_seal', subject, index: -1 }
}
