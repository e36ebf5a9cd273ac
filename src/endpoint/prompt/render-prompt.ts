import { SPECIAL } from '../../core/harmony/vocabulary.js'
import { encoderOf } from '../../core/tokens/encoder.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { Fields } from '../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { anObject, aTokenTable } from '../../shared/options/checks.js'
import { fieldOf } from '../../shared/request-fields.js'
import { atOnce, createWork, onePass, type Slices, type Work } from '../../shared/slices.js'
import type { ReadMessage } from './conversation.js'
import { dropOldReasoning } from './drop-reasoning.js'
import { type IdOf, recall } from './history.js'
import type { RenderedMessages } from './prompt-message.js'
import {
  PROMPT_OPTIONS,
  type PromptOptions,
  type ReadOptions,
  type RequestMessages,
  readRequestInSlices,
  withTools,
} from './prompt-messages.js'
import { renderMessagesInSlices } from './render-messages.js'
import type { OmittedTool } from './taught-tools.js'
import type { TextCache } from './text-cache.js'

interface Rendering {
  /** The vocabulary, by which texts become ids. */
  readonly tokenTable: TokenTable
  /** The cache of encoded texts, which all requests may share: `createTextCache`. */
  readonly known?: TextCache
}

/** Options of `renderPrompt`. */
export interface RenderPromptOptions extends PromptOptions, Rendering {}

export const RENDER_PROMPT_OPTIONS: OptionTable<RenderPromptOptions> = {
  ...PROMPT_OPTIONS,
  tokenTable: aTokenTable,
  known: anObject,
}

/** Options for rendering the prompt of a request whose tools are resolved. */
export interface RenderOptions extends ReadOptions, Rendering {}

/** A prompt as token ids, and what the model is not told. */
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

/** A prompt, and where it lacks the results of approved calls that are still to be run. */
export interface PromptInProgress extends Prompt {
  /** In the order of the calls. None if absent. */
  readonly pending?: readonly PendingResult[]
}

/** The place of a result that is still to come. */
export interface PendingResult {
  readonly approvalRequestId: string
  /** The index in the ids before which it belongs. */
  readonly at: number
}

/**
 * Renders the prompt of a Responses request: its token ids, and the position of each message. Text of the request never
 * becomes a control token, wherever it stands. Synchronous and pure: the same arguments give the same ids.
 *
 * @param request - a create request, as the client sent it, with `previous_response_id` and references resolved
 * @throws RequestError naming the parameter: the request cannot be rendered
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable, translate } from 'harmony-responses'
 * import { toGenerateOptions } from 'harmony-responses/engine'
 * import { renderPrompt } from 'harmony-responses/prompt'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([answer('Hi!')]) // in its place, any engine
 * const { tokens } = renderPrompt(request, { tokenTable: await loadTokenTable(), date: '2026-01-31' })
 * for await (const event of translate(engine.generate(tokens, toGenerateOptions(request)), { request })) send([event])
 * ```
 */
export function renderPrompt(request: object, options: RenderPromptOptions): Prompt {
  checkOptions('renderPrompt', options, RENDER_PROMPT_OPTIONS, ['tokenTable', 'date'])
  return atOnce(renderPromptInSlices(request, withTools(request, options), createWork())) as Prompt
}

/**
 * Does the same in slices, with checked options.
 *
 * @param max - the maximum number of tokens
 * @returns undefined as soon as there are known to be more
 */
export function* renderPromptInSlices(
  request: object,
  options: RenderOptions,
  work: Work,
  max?: number,
): Slices<PromptInProgress | undefined> {
  return yield* renderReadPrompt(yield* readPrompt(request, options, work), options, work, max)
}

/** A prompt before encoding. */
export interface ReadPrompt extends Omit<RequestMessages, 'conversation'> {
  /** The messages after the head. */
  readonly messages: readonly ReadMessage[]
  /** The approval requests whose calls are still to be run, by item, in the order of the calls. */
  readonly pending: ReadonlyMap<number, string>
}

/** Reads a request, and finds its messages in the history. @throws like {@link renderPrompt} */
export function* readPrompt(request: object, options: RenderOptions, work: Work): Slices<ReadPrompt> {
  const { tokenTable, history = [], pendingApprovals } = options
  const { conversation, ...read } = yield* readRequestInSlices(request, options, work)
  const idOf = idsOf(request)
  const known = yield* recall(conversation, history, idOf, read.tools, tokenTable, work)
  yield* onePass(known, work)
  const messages = dropOldReasoning(known)
  yield* onePass(messages, work)
  const pending = new Map<number, string>()
  for (const { item, role } of pendingApprovals?.size ? messages : []) {
    const id = item === undefined || role !== 'assistant' ? undefined : idOf(item)
    if (id !== undefined && pendingApprovals?.has(id)) pending.set(item as number, id)
  }
  return { ...read, messages, pending }
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

function* renderReadPrompt(
  { head, messages, tools, placeholders, pending }: ReadPrompt,
  { tokenTable, known }: Rendering,
  work: Work,
  max: number = Number.POSITIVE_INFINITY,
): Slices<PromptInProgress | undefined> {
  const next = turnStart(tokenTable)
  const before = yield* renderMessagesInSlices([...head, ...messages], {
    tokenTable,
    work,
    known,
    max: max - next.length,
  })
  if (before === undefined) return undefined
  const tokens = new Uint32Array(before.tokens.length + next.length)
  tokens.set(before.tokens)
  tokens.set(next, before.tokens.length)
  const { omitted, untaught } = tools
  const prompt = { tokens, messages: before.messages, omitted, untaught, placeholders }
  if (pending.size === 0) return prompt
  const startOf = (index: number): number => before.messages[head.length + index]?.start ?? before.tokens.length
  return { ...prompt, pending: placesOf(pending, messages, startOf) }
}

/** @param startOf - returns the position of a message, or of the end */
function placesOf(
  pending: ReadPrompt['pending'],
  messages: readonly ReadMessage[],
  startOf: (index: number) => number,
): PendingResult[] {
  const firsts = new Map<number, number>()
  for (const [index, { behind }] of messages.entries()) {
    if (behind !== undefined && !firsts.has(behind)) firsts.set(behind, index)
  }
  let next = messages.length
  const places = [...pending].reverse().map(([item, approvalRequestId]) => {
    next = firsts.get(item) ?? next
    return { approvalRequestId, at: startOf(next) }
  })
  return places.reverse()
}
