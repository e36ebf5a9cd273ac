import type { Fields } from '../fields.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import { checkOptions, type OptionTable } from '../options/check-options.js'
import { anObject, aTokenTable } from '../options/checks.js'
import { fieldOf } from '../request-fields.js'
import { atOnce, createWork, type Slices, type Work } from '../slices.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'
import { dropOldReasoning } from './drop-reasoning.js'
import { type IdOf, recall } from './history.js'
import type { KnownTexts } from './known-texts.js'
import {
  PROMPT_OPTIONS,
  type PromptOptions,
  type ReadOptions,
  type RequestMessages,
  readRequestInSlices,
  withTools,
} from './messages-of.js'
import type { PromptMessage, RenderedMessages } from './prompt-message.js'
import { renderMessagesInSlices } from './render-messages.js'
import type { OmittedTool } from './taught-tools.js'

interface Rendering {
  readonly tokenTable: TokenTable
  /** The cache of encoded texts, which all requests may share: {@link createKnownTexts}. */
  readonly known?: KnownTexts
}

export interface RenderPromptOptions extends PromptOptions, Rendering {}

export const RENDER_PROMPT_OPTIONS: OptionTable<RenderPromptOptions> = {
  ...PROMPT_OPTIONS,
  tokenTable: aTokenTable,
  known: anObject,
}

/** Options for rendering the prompt of a request whose tools are resolved. */
export interface RenderOptions extends ReadOptions, Rendering {}

export interface Prompt extends RenderedMessages {
  /** The ids to generate from. They end in `<|start|>assistant`, which belongs to no message. */
  readonly tokens: Uint32Array
  /** Listed MCP tools that are not taught, because no recipient can name them. */
  readonly omitted: readonly OmittedTool[]
  /** The types of declared tools that are not taught, because nothing runs them, such as `file_search`. Each once. */
  readonly untaught: readonly string[]
  /** How many images and files are replaced by placeholders: `[image]`, `[file NAME]`. */
  readonly placeholders: number
}

/**
 * Renders the prompt of a Responses request: its token ids, and the position of each message. Text of the request never
 * becomes a control token, wherever it stands. Synchronous and pure: the same arguments give the same ids.
 *
 *     const { tokens } = renderPrompt(request, { tokenTable: await loadTokenTable(), date: '2026-01-31' })
 *     translate(engine.generate(tokens, generateOptions(request)), { request })
 *
 * @param request - a create request, as the client sent it, with `previous_response_id` and references resolved
 * @throws RequestError naming the parameter: the request cannot be rendered
 * @throws HarmonyResponsesError `bad_option`
 */
export function renderPrompt(request: object, options: RenderPromptOptions): Prompt {
  checkOptions('renderPrompt', options, RENDER_PROMPT_OPTIONS, ['tokenTable', 'date'])
  return atOnce(renderPromptInSlices(request, withTools(request, options), createWork())) as Prompt
}

/**
 * Does the same in slices, with checked options.
 *
 * @param most - the maximum number of tokens
 * @returns undefined as soon as there are known to be more
 */
export function* renderPromptInSlices(
  request: object,
  options: RenderOptions,
  work: Work,
  most?: number,
): Slices<Prompt | undefined> {
  return yield* renderReadPrompt(yield* readPrompt(request, options, work), options, work, most)
}

/** A prompt before encoding. */
export interface ReadPrompt extends Omit<RequestMessages, 'conversation'> {
  /** The messages after the head. */
  readonly messages: readonly PromptMessage[]
}

/** Reads a request, and finds its messages in the history. @throws like {@link renderPrompt} */
export function* readPrompt(request: object, options: RenderOptions, work: Work): Slices<ReadPrompt> {
  const { tokenTable, history = [] } = options
  const { conversation, ...read } = yield* readRequestInSlices(request, options, work)
  const known = yield* recall(conversation, history, idsOf(request), read.tools, tokenTable, work)
  return { ...read, messages: dropOldReasoning(known) }
}

function idsOf(request: object): IdOf {
  const input = fieldOf(request as Fields, 'input')
  return (item) => {
    const { id } = Object(Array.isArray(input) ? input[item] : undefined) as { readonly id?: unknown }
    return typeof id === 'string' ? id : undefined
  }
}

/** Returns the beginning of the model's turn: `<|start|>assistant`. */
export function turnStart(tokenTable: TokenTable): readonly number[] {
  return [SPECIAL.start, ...encoderOf(tokenTable)('assistant')]
}

export function* renderReadPrompt(
  { head, messages, tools, placeholders }: ReadPrompt,
  { tokenTable, known }: Rendering,
  work: Work,
  most: number = Number.POSITIVE_INFINITY,
): Slices<Prompt | undefined> {
  const next = turnStart(tokenTable)
  const before = yield* renderMessagesInSlices([...head, ...messages], {
    tokenTable,
    work,
    known,
    most: most - next.length,
  })
  if (before === undefined) return undefined
  const tokens = new Uint32Array(before.tokens.length + next.length)
  tokens.set(before.tokens)
  tokens.set(next, before.tokens.length)
  const { omitted, untaught } = tools
  return { tokens, messages: before.messages, omitted, untaught, placeholders }
}
