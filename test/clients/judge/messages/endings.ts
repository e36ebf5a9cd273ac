import type { Outcome } from '../replay.js'

/** How an answer ended, and whether the application is told that there are calls to run. */
export function endingBy(reason: unknown): Pick<Outcome, 'ending' | 'finish'> {
  switch (reason) {
    case 'tool_use':
      return { ending: 'completed', finish: 'tool-calls' }
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
      return { ending: 'completed', finish: 'stop' }
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'refusal':
      return { ending: 'incomplete' }
    default:
      return { ending: 'open' }
  }
}
