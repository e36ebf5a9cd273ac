import { FIRST_SPECIAL, markerText } from '../../../core/harmony/vocabulary.js'
import { STOP_TOKENS } from '../../contract/index.js'
import type { HttpCall } from '../http/http-call.js'

/**
 * The texts at which llama-server itself has to stop. It takes no ids (it answers 400), and stops at the ends of
 * sequence anyway. Ordinary tokens are not listed, because their text is common: at those the stream is cut here.
 * Beside a constraint, special tokens are banned, and their text in a body must not end it.
 */
export function stopWords({ stop, constraint }: HttpCall): string[] {
  if (constraint !== undefined) return []
  return stop.filter((id) => id >= FIRST_SPECIAL && !STOP_TOKENS.includes(id)).map(markerText)
}
