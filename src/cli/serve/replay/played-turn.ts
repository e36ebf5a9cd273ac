import type { HarmonyMessage } from '../../../core/harmony/events.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { openingStart, type ScriptedPrompt } from '../../../testing/prompt.js'
import { restOfTurn } from '../../../testing/rest-of-turn.js'
import type { Playable } from './playable.js'
import { type Recording, split, wordsOf } from './recording.js'
import { taughtCallees } from './taught-tools.js'

/** Returns a recording's continuation of this prompt; undefined if no recording has one. */
export async function playedTurn(
  playables: readonly Playable[],
  prompt: ScriptedPrompt,
  tokenTable: TokenTable,
): Promise<readonly number[] | undefined> {
  const { head, conversation } = split(prompt.messages)
  const tools = JSON.stringify(taughtCallees(head))
  const begun = prompt.tokens.subarray(openingStart(prompt.tokens))
  // Recordings with an input take precedence, since they are more specific.
  for (const playable of playables.toSorted((a, b) => Number(a.answersAny) - Number(b.answersAny))) {
    if (!playable.mayAnswer(conversation[0])) continue
    const recording = await playable.recording()
    if (recording.tools !== tools) continue
    const rest = restOf(recording, conversation)
    // A recording does not match if the host has begun another message than the recorded one.
    if (rest !== undefined && restOfTurn(rest, begun, tokenTable) !== undefined) return rest
  }
  return undefined
}

/** Returns the ids with which a recording continues this conversation. */
function restOf(
  { conversation, steps }: Recording,
  messages: readonly HarmonyMessage[],
): readonly number[] | undefined {
  let at = conversation?.length ?? messages.findLastIndex(({ role }) => role === 'user' || role === 'developer') + 1
  if (at > messages.length || conversation?.some((words, index) => words !== wordsOf(messages[index]))) return undefined
  let next = 0
  for (; at < messages.length; next++) {
    const step = steps[next]
    const isPlayed = step?.messages.every((words, index) => {
      const message = messages[at + index]
      return step.tokens === undefined ? message?.role === 'tool' : words === wordsOf(message)
    })
    if (step === undefined || !isPlayed) return undefined
    at += step.messages.length
  }
  const remaining = steps.slice(next)
  const until = remaining.findIndex(({ tokens }) => tokens === undefined)
  const tokens = remaining.slice(0, until === -1 ? remaining.length : until).flatMap(({ tokens = [] }) => tokens)
  // The prompt already ends in `<|start|>assistant`.
  return tokens.length === 0 ? undefined : tokens.slice(2)
}
