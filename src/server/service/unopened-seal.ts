import type { Diagnostic } from '../../translate/diagnostics.js'

/** How many places a diagnostic names. A conversation after a restart has one for each of its turns. */
const MOST_NAMED = 8

/** That the model goes on without sealed content of a request. It says where that stands, and nothing of it. */
export function unopenedSeal(params: readonly string[]): Diagnostic {
  const more = params.length - MOST_NAMED
  const subject = `${params.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return { code: 'unopened_seal', subject, index: -1 }
}
