import type { ResponseRequest } from '../../../core/responses/request.js'
import type { Slices, Work } from '../../../shared/slices.js'
import type { PromptMessage } from '../../prompt/prompt-message.js'
import { renderMessagesInSlices } from '../../prompt/render-messages.js'
import {
  type PromptInProgress,
  type ReadPrompt,
  type RenderOptions,
  readPrompt,
  renderPromptInSlices,
  turnStart,
} from '../../prompt/render-prompt.js'

type Item = { readonly [field: string]: unknown }

/**
 * Renders the prompt of a request. If it does not fit and the request allows it (`truncation: 'auto'`), the oldest
 * exchanges of the conversation are dropped. An exchange begins with a message of the user; instructions stay, and so
 * does the last exchange. A call and its output belong to one exchange. At most one message more than fits is encoded.
 *
 * @param contextLength - `promptBound` of the engine
 * @returns undefined if it does not fit
 * @throws RequestError if the request cannot be rendered
 */
export function* fittingPrompt(
  request: ResponseRequest,
  options: RenderOptions,
  work: Work,
  contextLength: number,
): Slices<PromptInProgress | undefined> {
  const max = contextLength - 1
  const isTruncated =
    request.truncation === 'auto' && Array.isArray(request.input) && contextLength < Number.POSITIVE_INFINITY
  const room = isTruncated ? contextLength - reserve(request, contextLength) : max
  const whole = yield* renderPromptInSlices(request, options, work, room)
  return whole ?? (isTruncated ? yield* truncated(request, options, work, { room, max }) : undefined)
}

/** The preferred and the maximum size of a prompt, in tokens. */
interface Bounds {
  readonly room: number
  readonly max: number
}

/** Drops as many exchanges as necessary and possible; undefined if the prompt still does not fit. */
function* truncated(
  request: ResponseRequest,
  options: RenderOptions,
  work: Work,
  { room, max }: Bounds,
): Slices<PromptInProgress | undefined> {
  const input = request.input as readonly object[]
  const exchanges = exchangesOf(input as readonly Item[])
  const droppable = exchanges.slice(0, -1)
  const isStaying = (at: number): boolean => isKept(input[at] as Item)
  const read = yield* readPrompt(request, options, work)
  const first = yield* firstThatFits(read, exchanges, isStaying, options, work, room)
  const dropped = new Set<number>()
  let prompt: PromptInProgress | undefined
  for (const [nth, exchange] of droppable.entries()) {
    for (const at of exchange) if (!isStaying(at)) dropped.add(at)
    if (nth + 1 < first && nth < droppable.length - 1) continue
    // Rendered as a whole, because an item alone may take more tokens than dropping it saves.
    const left = { ...request, input: input.filter((_, at) => !dropped.has(at)) }
    prompt = yield* renderPromptInSlices(left, options, work, max)
    if (prompt !== undefined && prompt.tokens.length <= room) return prompt
  }
  return droppable.length > 0 ? prompt : yield* renderPromptInSlices(request, options, work, max)
}

/**
 * Returns the first exchange from which on all fit, by their sizes in the whole prompt. They are encoded from the last
 * one back, as far as they fit.
 */
function* firstThatFits(
  { head, messages }: ReadPrompt,
  exchanges: readonly (readonly number[])[],
  isStaying: (at: number) => boolean,
  { tokenTable, known }: RenderOptions,
  work: Work,
  room: number,
): Slices<number> {
  const byItem = new Map<number | undefined, PromptMessage[]>()
  for (const message of messages) {
    const its = byItem.get(message.item) ?? []
    byItem.set(message.item, its)
    its.push(message)
  }
  let left = room - turnStart(tokenTable).length
  function* take(some: readonly PromptMessage[]): Slices<boolean> {
    const rendered = yield* renderMessagesInSlices(some, { tokenTable, known, work, max: left })
    left -= rendered?.tokens.length ?? Number.POSITIVE_INFINITY
    return left >= 0
  }
  const messagesAt = (places: readonly number[]): PromptMessage[] => places.flatMap((at) => byItem.get(at) ?? [])
  const staying = exchanges.flatMap((exchange) => exchange.filter(isStaying))
  if (!(yield* take([...head, ...(byItem.get(undefined) ?? []), ...messagesAt(staying)]))) return exchanges.length
  for (let nth = exchanges.length - 1; nth >= 0; nth--) {
    const own = (exchanges[nth] as readonly number[]).filter((at) => !isStaying(at))
    if (!(yield* take(messagesAt(own)))) return nth + 1
  }
  return 0
}

/** Returns the tokens to reserve for the answer: as many as the request wants, up to a quarter of the context. */
function reserve({ max_output_tokens: max }: ResponseRequest, contextLength: number): number {
  return contextLength === Number.POSITIVE_INFINITY ? 0 : Math.min(max ?? ANSWER, Math.floor(contextLength / 4))
}

const ANSWER = 4096

/** Whether it is not dialogue: instructions, and declarations of tools. */
function isKept({ type = 'message', role }: Item): boolean {
  return type === 'message' ? role === 'system' || role === 'developer' : KEPT.includes(String(type))
}

const KEPT: readonly string[] = ['mcp_list_tools', 'additional_tools', 'tool_search_output', 'compaction_trigger']

/** Returns the exchanges of a conversation, oldest first, by the indexes of their items. */
function exchangesOf(items: readonly Item[]): number[][] {
  const exchanges: number[][] = [[]]
  const exchangeOf: number[] = []
  for (const [at, { type = 'message', role }] of items.entries()) {
    const isFirst = (type === 'message' && role === 'user') || type === 'compaction'
    if (isFirst && exchanges.at(-1)?.length !== 0) exchanges.push([])
    exchangeOf.push(exchanges.length - 1)
    exchanges.at(-1)?.push(at)
  }
  /** The last exchange that is linked with each. */
  const until = exchanges.map((_, at) => at)
  const firsts = new Map<unknown, number>()
  for (const [at, item] of items.entries()) {
    for (const name of LINKS) {
      const id = Object.hasOwn(item, name) ? item[name] : undefined
      if (typeof id !== 'string') continue
      const first = firsts.get(id) ?? (exchangeOf[at] as number)
      firsts.set(id, first)
      until[first] = Math.max(until[first] as number, exchangeOf[at] as number)
    }
  }
  const joined: number[][] = []
  let end = -1
  for (const [at, exchange] of exchanges.entries()) {
    if (at <= end) for (const item of exchange) joined.at(-1)?.push(item)
    else joined.push(exchange)
    end = Math.max(end, until[at] as number)
  }
  return joined
}

/** The fields by which outputs name their calls, and approvals their requests. */
const LINKS = ['id', 'call_id', 'approval_request_id'] as const
