import type { Ending } from '../../clients/client.js'
import { lookUp } from '../../stream-event.js'

const ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: 'completed',
  tool_use: 'completed',
  stop_sequence: 'completed',
  pause_turn: 'completed',
  compaction: 'completed',
  max_tokens: 'incomplete',
  model_context_window_exceeded: 'incomplete',
  refusal: 'incomplete',
}

/** Returns the ending for a stop_reason; `open` if this API has none of this name. */
export const endingBy = (reason: unknown): Ending =>
  (typeof reason === 'string' ? lookUp(ENDINGS, reason) : undefined) ?? 'open'
