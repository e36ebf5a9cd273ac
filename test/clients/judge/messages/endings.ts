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

/** The message in the body of an error. The message of an API error has all of the body where it is of another form. */
export function serverMessage(body: unknown): string {
  const { error, message } = Object(body) as { error?: unknown; message?: unknown }
  const nested = (Object(error) as { message?: unknown }).message ?? message
  return typeof nested === 'string' ? nested : ''
}
