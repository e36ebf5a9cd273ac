import type { Ending } from '../../clients/client.js'
import { lookUp } from '../../stream-event.js'

const ENDINGS: Readonly<Record<string, 'completed' | 'incomplete'>> = {
  stop: 'completed',
  tool_calls: 'completed',
  function_call: 'completed',
  length: 'incomplete',
  content_filter: 'incomplete',
}

/** Whether a finish_reason says that there are calls to run. */
export const asksForCalls = (finish: unknown): boolean => finish === 'tool_calls' || finish === 'function_call'

/** Returns the ending for a finish_reason; `open` if clients know none of this name. */
export const endingBy = (reason: unknown): Extract<Ending, 'completed' | 'incomplete' | 'open'> =>
  (typeof reason === 'string' ? lookUp(ENDINGS, reason) : undefined) ?? 'open'
