import { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
import { SPECIAL } from '../../core/harmony/vocabulary.js'

/**
 * Reopens a turn that the model has ended, so that the host can write another message in it. The model then reads the
 * form that it was trained on: `<|end|>` in place of the end of its turn, or of one that the engine swallowed, and no
 * message with only a role.
 *
 * @param transcript - changed in place
 * @param assistant - the ids of `assistant`
 */
export function reopenTurn(transcript: number[], assistant: readonly number[]): void {
  if (STOP_TOKENS.includes(transcript.at(-1) as number)) transcript.pop()
  if (transcript.at(-1) === SPECIAL.end) return
  const start = transcript.lastIndexOf(SPECIAL.start)
  const isRole = transcript.slice(start + 1, start + 2 + assistant.length).every((id, at) => id === assistant[at])
  if (start !== -1 && isRole) transcript.length = start
  else transcript.push(SPECIAL.end)
}
