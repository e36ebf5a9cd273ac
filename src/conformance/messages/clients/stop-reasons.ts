import type { Ending } from '../../clients/client.js'
import { lookUp } from '../../stream-event.js'

const ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: 'completed',
  tool_use: 'completed',
  stop_sequence: 'completed',
  pause_turn: 'completed',
  max_tokens: 'incomplete',
  model_context_window_exceeded: 'incomplete',
  refusal: 'incomplete',
}

/** How an answer ended, by its stop_reason; `open` if that is none of this API. */
export const endingBy = (reason: unknown): Ending =>
  (typeof reason === 'string' ? lookUp(ENDINGS, reason) : undefined) ?? 'open'
