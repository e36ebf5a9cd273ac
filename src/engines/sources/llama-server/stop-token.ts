import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'

/** Tracks the open message to determine its stop token. */
export interface StopTokenTracker {
  add(id: number): void
  /** `<|call|>` if the message has a recipient, else `<|return|>`. */
  stopToken(): number
}

/** @param prompt - ends with the message that the model continues */
export function createStopTokenTracker(prompt: readonly number[], table: TokenTable): StopTokenTracker {
  let header: number[] = []
  let isHeader = false

  function add(id: number): void {
    if (id === SPECIAL.start) header = []
    if (id === SPECIAL.start || id === SPECIAL.message) isHeader = id === SPECIAL.start
    else if (isHeader) header.push(id)
  }

  for (const id of prompt.slice(Math.max(0, prompt.lastIndexOf(SPECIAL.start)))) add(id)
  return {
    add,
    stopToken() {
      const words = header.map((id) => table.text(id) ?? ' ').join('')
      return !isHeader && /\bto=/.test(words) ? SPECIAL.call : SPECIAL.return
    },
  }
}
