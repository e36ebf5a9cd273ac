import type { GenerateOptions } from '../engine/engine.js'
import type { HarmonyMessage } from '../harmony/events.js'
import { parseMessages } from '../harmony/parse-messages.js'
import { TERMINATORS } from '../harmony/stop-tokens.js'
import { FIRST_SPECIAL, markerText, SPECIAL } from '../harmony/vocabulary.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import type { TokenTable } from '../tokens/token-table.js'

/** What the model is asked: a prompt, and how it shall be continued. */
export interface ScriptedPrompt {
  /** The complete messages of the prompt, in order. */
  readonly messages: readonly HarmonyMessage[]
  /** What the host has written of the model's next message, after `<|start|>assistant`: with markers, usually empty. */
  readonly opening: string
  readonly tokens: Uint32Array
  /** Which turn of the script it asks for, from 1. A call that goes on with a turn has the number of that turn. */
  readonly turn: number
  /** Which call of the engine it is, from 1. */
  readonly call: number
  readonly options: GenerateOptions
  /** Aborts as soon as the answer is not needed any more. */
  readonly signal: AbortSignal
}

/** Where the message that the model shall go on with begins, after `<|start|>assistant`; the prompt's end if none. */
export function openingStart(prompt: Uint32Array): number {
  // The role is one token, and the engine's contract says that it is there.
  return Math.min(openMessageStart(prompt) + 2, prompt.length)
}

/**
 * Where the turn may have begun that the model shall go on with: it may have several messages, each of which ends with
 * `<|end|>`. The first of them first; {@link openingStart} is the last.
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

/** Where the last message begins, if it is not complete; else the prompt's end. */
function openMessageStart(prompt: Uint32Array): number {
  const start = prompt.lastIndexOf(SPECIAL.start)
  const isOpen = start !== -1 && !prompt.subarray(start).some((id) => TERMINATORS.includes(id))
  return isOpen ? start : prompt.length
}

/** The messages of a prompt, and what it has of the next one. */
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
  // The parser takes a message of the assistant that the host wrote for a beginning that the model goes on with.
  const origin = isByModel(tokens, tokenTable) ? 'model' : 'host'
  return parseMessages(tokens, { tokenTable, role: null, origin }).messages
}

function isByModel(message: Uint32Array, tokenTable: TokenTable): boolean {
  return tokenTable.text(message[1] ?? 0) === 'assistant'
}

/** Tokens as text with literal markers. */
function spelledOut(tokens: Uint32Array, tokenTable: TokenTable): string {
  let text = ''
  const detokenizer = createDetokenizer(tokenTable)
  for (const id of tokens) text += id >= FIRST_SPECIAL ? detokenizer.flush() + markerText(id) : detokenizer.push(id)
  return text + detokenizer.flush()
}
