import type { HarmonyMessage } from '../core/harmony/events.js'
import { parseMessages } from '../core/harmony/parse-messages.js'
import { TERMINATORS } from '../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, markerText, SPECIAL } from '../core/harmony/vocabulary.js'
import { createDetokenizer } from '../core/tokens/detokenizer.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import type { GenerateOptions } from '../engines/contract/engine.js'

/** The model's input: a prompt, and the beginning to continue. */
export interface ScriptedPrompt {
  /** The complete messages of the prompt, in order. */
  readonly messages: readonly HarmonyMessage[]
  /** The host's beginning of the model's next message, after `<|start|>assistant`: with markers, usually empty. */
  readonly opening: string
  /** The whole prompt as ids. */
  readonly tokens: Uint32Array
  /**
   * The number of the requested turn in the script, from 1. A call that continues a turn has the number of that turn.
   */
  readonly turn: number
  /** Which call of the engine it is, from 1. */
  readonly call: number
  /** The options of the call, as `generate` received them. */
  readonly options: GenerateOptions
  /** Aborts as soon as the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** Returns where the unfinished message of the model begins, after `<|start|>assistant`; the prompt's end if none. */
export function openingStart(prompt: Uint32Array): number {
  // The role is one token, which the engine's contract requires.
  return Math.min(openMessageStart(prompt) + 2, prompt.length)
}

/**
 * Returns the places where the turn to continue may have begun: it may have several messages, each of which ends with
 * `<|end|>`. In order; {@link openingStart} is the last.
 */
export function turnStarts(prompt: Uint32Array, tokenTable: TokenTable): number[] {
  const starts = [openingStart(prompt)]
  let border = openMessageStart(prompt)
  while (prompt[border - 1] === SPECIAL.end) {
    border = prompt.lastIndexOf(SPECIAL.start, border - 1)
    if (border === -1 || !isByModel(prompt.subarray(border), tokenTable)) break
    starts.unshift(border + 2)
  }
  return starts
}

/** Returns where an incomplete last message begins; else the prompt's end. */
function openMessageStart(prompt: Uint32Array): number {
  const start = prompt.lastIndexOf(SPECIAL.start)
  const isOpen = start !== -1 && !prompt.subarray(start).some((id) => TERMINATORS.includes(id))
  return isOpen ? start : prompt.length
}

/** Returns the messages of a prompt, and its beginning of the next one. */
export function readPrompt(tokens: Uint32Array, tokenTable: TokenTable): Pick<ScriptedPrompt, 'messages' | 'opening'> {
  const start = openingStart(tokens)
  const isOpen = tokens[start - 2] === SPECIAL.start
  const complete = splitAtStarts(tokens.subarray(0, isOpen ? start - 2 : start))
  return {
    messages: complete.flatMap((message) => readMessage(message, tokenTable)),
    opening: spelledOut(tokens.subarray(start), tokenTable),
  }
}

function splitAtStarts(tokens: Uint32Array): Uint32Array[] {
  const messages: Uint32Array[] = []
  for (let from = 0; from < tokens.length; ) {
    const next = tokens.indexOf(SPECIAL.start, from + 1)
    const to = next === -1 ? tokens.length : next
    messages.push(tokens.subarray(from, to))
    from = to
  }
  return messages
}

function readMessage(tokens: Uint32Array, tokenTable: TokenTable): HarmonyMessage[] {
  // The parser takes an assistant's message of the host for a beginning that the model continues.
  const origin = isByModel(tokens, tokenTable) ? 'model' : 'host'
  return parseMessages(tokens, { tokenTable, role: null, origin }).messages
}

function isByModel(message: Uint32Array, tokenTable: TokenTable): boolean {
  return tokenTable.text(message[1] ?? 0) === 'assistant'
}

/** Returns tokens as text with literal markers. */
function spelledOut(tokens: Uint32Array, tokenTable: TokenTable): string {
  let text = ''
  const detokenizer = createDetokenizer(tokenTable)
  for (const id of tokens) text += id >= FIRST_SPECIAL ? detokenizer.flush() + markerText(id) : detokenizer.push(id)
  return text + detokenizer.flush()
}
