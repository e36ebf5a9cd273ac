import { createEncoder, loadTokenTable } from '../../../../src/core/tokens/index.js'
import type { PromptFields, PromptTool } from '../../../../src/engines/contract/prompt-fields.js'
import { createChatReader } from '../../../../src/engines/sources/chat/read-call.js'
import type { Opening } from '../../../../src/engines/sources/chat/read-prompt.js'
import { type ChatTraits, DEFAULT_TRAITS } from '../../../../src/engines/sources/chat/traits.js'
import type { EngineStep } from '../../../../src/engines/sources/http/token-reader.js'
import { showTokens } from './show.js'

const encode = createEncoder(await loadTokenTable())

/** A chunk with one choice. */
export function chunk(delta: object, finish_reason: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason }]
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'qwen', choices }
}

export const say = (content: string): object => chunk({ content })
export const think = (reasoning_content: string): object => chunk({ reasoning_content })
export const call = (piece: object): object => chunk({ tool_calls: [piece] })
/** A piece of a call, as OpenAI sends it. */
export const piece = (index: number, args: string, begin: { id?: string; name?: string } = {}): object => {
  const { id, name } = begin
  return call({ index, ...(id && { id, type: 'function' }), function: { ...(name && { name }), arguments: args } })
}
export const ends = (reason: string): object => chunk({}, reason)
export const USAGE: object = {
  id: 'chatcmpl-1',
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
}

export const WEATHER: PromptTool = {
  recipient: 'functions.get_weather',
  description: 'The weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  body: 'json',
}
export const TIME: PromptTool = { recipient: 'functions.get_time', body: 'json' }

export interface ReadOptions {
  readonly promptFields?: PromptFields
  readonly traits?: Partial<ChatTraits>
  readonly opening?: Opening
  readonly isDone?: boolean
}

export interface ReadTurn {
  readonly text: string
  /** What each chunk gave. */
  readonly steps: readonly string[]
  readonly end: string | undefined
  readonly usage: unknown
}

/** What a turn of these chunks is in Harmony, and how it ended. */
export function turnOf(
  chunks: readonly unknown[],
  { promptFields, traits, opening = 'turn', isDone = true }: ReadOptions = {},
): ReadTurn {
  const reader = createChatReader({ promptFields }, { opening, encode, traits: { ...DEFAULT_TRAITS, ...traits } })
  const steps: EngineStep[] = []
  const take = (step: EngineStep): void => void steps.push(step)
  for (const one of chunks) reader.read(one, take)
  reader.next?.(take, isDone)
  const texts = steps.map(({ tokens }) => showTokens(tokens as number[])).filter((text) => text !== '')
  return {
    text: showTokens(steps.flatMap(({ tokens }) => tokens as number[])),
    steps: texts,
    end: steps.findLast(({ end }) => end)?.end?.reason,
    usage: steps.findLast(({ usage }) => usage)?.usage,
  }
}
