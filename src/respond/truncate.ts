import { type Prompt, type RenderPromptOptions, renderPrompt } from '../prompt/render-prompt.js'
import { contextLengthExceeded } from '../request-error.js'
import type { ResponseRequest } from '../responses/request.js'

type Item = { readonly [field: string]: unknown }

/**
 * The prompt of a request, without the oldest exchanges of its conversation where the request allows that
 * (`truncation: 'auto'`) and they do not fit. An exchange begins with a message of the user's; instructions stay, and
 * so does the last exchange. A call and its output are in one exchange.
 *
 * @param contextLength - of the engine; undefined if nobody knows it
 * @throws RequestError if the request cannot be rendered, or does not fit
 */
export function fittingPrompt(
  request: ResponseRequest,
  options: RenderPromptOptions,
  contextLength: number = Number.POSITIVE_INFINITY,
): Prompt {
  const prompt = renderPrompt(request, options)
  const room = contextLength - reserve(request, contextLength)
  const isTooLong = request.truncation === 'auto' && prompt.tokens.length > room
  const fitting = isTooLong ? truncated(request, prompt, options, room) : prompt
  if (fitting.tokens.length >= contextLength) throw contextLengthExceeded()
  return fitting
}

/** The prompt without as many exchanges as it takes, or as may be dropped. */
function truncated(request: ResponseRequest, whole: Prompt, options: RenderPromptOptions, room: number): Prompt {
  if (!Array.isArray(request.input)) return whole
  const input: readonly object[] = request.input
  const sizes = sizesOf(whole)
  const dropped = new Set<number>()
  let prompt = whole
  let excess = whole.tokens.length - room
  const exchanges = exchangesOf(input as readonly Item[]).slice(0, -1)
  for (const [nth, exchange] of exchanges.entries()) {
    for (const at of exchange) {
      if (isKept(input[at] as Item)) continue
      dropped.add(at)
      excess -= sizes.get(at) ?? 0
    }
    if (excess > 0 && nth < exchanges.length - 1) continue
    // Rendered again, because an item may take more by itself than the prompt takes less without it.
    prompt = renderPrompt({ ...request, input: input.filter((_, at) => !dropped.has(at)) }, options)
    excess = prompt.tokens.length - room
    if (excess <= 0) break
  }
  return prompt
}

/** What is kept free for the answer: what the request wants, but no more than a quarter of the context. */
function reserve({ max_output_tokens: most }: ResponseRequest, contextLength: number): number {
  return contextLength === Number.POSITIVE_INFINITY ? 0 : Math.min(most ?? ANSWER, Math.floor(contextLength / 4))
}

const ANSWER = 4096

/** How many tokens each item has in the prompt. */
function sizesOf({ messages }: Prompt): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>()
  for (const { item, start, end } of messages) {
    if (item !== undefined) sizes.set(item, (sizes.get(item) ?? 0) + end - start)
  }
  return sizes
}

/** Whether it is no part of what was said: instructions, and what the model is told of tools. */
function isKept({ type = 'message', role }: Item): boolean {
  return type === 'message' ? role === 'system' || role === 'developer' : KEPT.includes(String(type))
}

const KEPT: readonly string[] = ['mcp_list_tools', 'compaction_trigger']

/** The exchanges of a conversation, oldest first, as the places of their items. */
function exchangesOf(items: readonly Item[]): number[][] {
  const exchanges: number[][] = [[]]
  const exchangeOf: number[] = []
  for (const [at, { type = 'message', role }] of items.entries()) {
    const isFirst = (type === 'message' && role === 'user') || type === 'compaction'
    if (isFirst && exchanges.at(-1)?.length !== 0) exchanges.push([])
    exchangeOf.push(exchanges.length - 1)
    exchanges.at(-1)?.push(at)
  }
  /** The last exchange that has anything to do with each. */
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
    if (at <= end) joined.at(-1)?.push(...exchange)
    else joined.push(exchange)
    end = Math.max(end, until[at] as number)
  }
  return joined
}

/** The fields by which an output names its call, and an approval what it approves. */
const LINKS = ['id', 'call_id', 'approval_request_id'] as const
