import { merged } from '../../merged.js'
import type { HistoryEntry } from '../../prompt/history.js'
import { RequestError, unsupportedParameter } from '../../request-error.js'
import type { InputItem } from '../../responses/input-items.js'
import type { ParsedRequest } from '../../responses/parsed-request.js'
import type { ResponseRequest } from '../../responses/request.js'
import type { Seal } from '../../seal/index.js'
import { invalidEncryptedContent } from '../../seal/invalid-encrypted-content.js'
import { unsealInputInSlices } from '../../seal/unseal-input.js'
import { createPace, createWork, type Pause, withPauses } from '../../slices.js'
import type { FinishedResponse, ResponseStore } from '../../stores/store.js'
import { deriveId } from '../../translate/ids.js'
import type { ApprovedCall } from '../../translate/options.js'
import { approvedCalls, requestedInStore, unknownRequests, withRequests } from './approvals.js'
import { withoutForeignReasoning } from './foreign-reasoning.js'
import { inOwnTerms, paramInOwnTerms } from './own-terms.js'

/** Where an item stands in the input that the client sent. */
export type Place = number | undefined

/** A request with all that it refers to. */
export interface ResolvedRequest {
  readonly request: ResponseRequest
  /** The whole conversation before the response. Each item has an id. */
  readonly input: readonly InputItem[]
  /** For each of these items, where the request's own input has it; undefined if it did not bring the item. */
  readonly places: readonly Place[]
  readonly history: readonly HistoryEntry[]
  /** Checked against a seal or what the store has, never against the client's copy. Not consumed yet. */
  readonly approvedCalls: readonly ApprovedCall[]
}

export interface ConversationContext {
  readonly owner: string
  readonly store: Pick<ResponseStore, 'find' | 'findItem'>
  readonly seal: Seal
  /** What becomes of content that another seal made, as in `unsealInput`. */
  readonly foreignSeals: 'refuse' | 'ignore'
  /** Receives where the request has content that did not open and that is ignored. Not called if there is none. */
  readonly onUnopened: (params: readonly string[]) => void
  readonly responseId: string
  /** Responses that are not stored, and that whoever sends the request remembers: those of its WebSocket. */
  readonly remembered?: (responseId: string) => FinishedResponse | undefined
  readonly pause: Pause
  readonly signal?: AbortSignal
}

/** What an item takes, in characters that are encoded. */
const ITEM = 16

/**
 * Puts the earlier responses and items that a request refers to in their places.
 *
 * @throws RequestError if there are none of these, or something sealed cannot be opened
 */
export async function resolveConversation(
  parsed: ParsedRequest,
  context: ConversationContext,
): Promise<ResolvedRequest> {
  const { owner, seal, foreignSeals: foreign } = context
  // A conversation that nobody keeps cannot be gone on with: better refused than begun anew in silence.
  if (parsed.conversation !== undefined) throw unsupportedParameter('conversation')
  const previous = parsed.previous_response_id && (await previousResponse(parsed.previous_response_id, context))
  const earlier = previous ? [...previous.input, ...completeItems(previous)] : []
  const pace = createPace(context.pause, context.signal)
  const found = await resolveReferences(itemsOf(parsed.input), context, pace)
  const own: InputItem[] = []
  for (const [index, item] of found.items.entries()) {
    own.push(withId(item, index, context.responseId))
    const due = pace(ITEM)
    if (due !== undefined) await due
  }
  const sent = [...earlier, ...own]
  const sentPlaces = [...earlier.map(() => undefined), ...own.map((_, index) => index)]
  // Before they are given ids: sealed reasoning whose client leaves its id out has that of its seal.
  const carried = [...earlier, ...found.items]
  // Each of the passes that follow takes as much as encoding a character of each item.
  const pass = (): Promise<void> | undefined => pace(sent.length)
  await pass()
  const unopened = new Set<string>()
  const onForeign = (param: string): void => {
    unopened.add(paramInOwnTerms(param, sentPlaces))
  }
  const options = { seal, caller: owner, foreign, onForeign }
  const unsealing = unsealInputInSlices(carried as never, options, createWork())
  const unsealed = await withPauses(unsealing, context.pause, context.signal).catch((error: unknown) => {
    throw inOwnTerms(error, sentPlaces)
  })
  await pass()
  const requested = [...unsealed.requestedCalls, ...(await requestedInStore(sent, context))]
  await pass()
  for (const param of unknownRequests(own, sent, requested)) {
    if (foreign === 'refuse') throw invalidEncryptedContent(param)
    unopened.add(param)
  }
  if (unopened.size > 0) context.onUnopened([...unopened])
  await pass()
  const { input, places } = withRequests(sent, sentPlaces, requested)
  await pass()
  const readable = foreign === 'ignore' ? withoutForeignReasoning(input, seal) : input
  return {
    request: { ...parsed, input: readable } as unknown as ResponseRequest,
    input,
    places,
    history: [...(previous ? previous.history : []), ...found.history, ...unsealed.history],
    approvedCalls: approvedCalls(own, sent, requested),
  }
}

/** @throws RequestError */
async function previousResponse(
  id: string,
  { owner, store, remembered }: ConversationContext,
): Promise<FinishedResponse> {
  const known = remembered?.(id)
  if (known !== undefined) return known
  const found = await store.find(id, owner)
  const about = { param: 'previous_response_id' }
  if (found === undefined || found.isTransient) {
    const message = `Previous response with id '${shortened(id)}' not found.`
    throw new RequestError(message, { ...about, code: 'previous_response_not_found' })
  }
  if (found.state === 'finished') return found.finished
  throw new RequestError(`Previous response with id '${id}' is still in progress.`, { ...about, code: 'invalid_value' })
}

/** What a response said that another can go on from: calls that were cut off never happened. */
function completeItems({ response }: FinishedResponse): InputItem[] {
  const isWhole = (item: { readonly type: string; readonly status?: string }): boolean =>
    item.status === undefined || item.status === 'completed' || item.status === 'failed' || item.type === 'message'
  return (response.output as readonly InputItem[]).filter((item) => isWhole(item as never))
}

function itemsOf(input: ParsedRequest['input'] = []): readonly InputItem[] {
  if (typeof input !== 'string') return input as readonly InputItem[]
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }] as readonly InputItem[]
}

/** The items themselves, and the transcripts that the store has of them. @throws RequestError if one is not there */
async function resolveReferences(
  items: readonly InputItem[],
  { owner, store, remembered }: ConversationContext,
  pace: (cost: number) => Promise<void> | undefined,
): Promise<{ items: readonly InputItem[]; history: readonly HistoryEntry[] }> {
  const holders = new Set<string>()
  const resolved: InputItem[] = []
  for (const [index, item] of items.entries()) {
    const due = pace(ITEM)
    if (due !== undefined) await due
    const { id } = item as { readonly id?: unknown }
    const found = typeof id === 'string' ? await store.findItem(id, owner) : undefined
    if (found !== undefined) holders.add(found.responseId)
    if (item.type !== 'item_reference') {
      // A client that sends an item back has what its transcript adds: the tokens as they were sampled, and reasoning
      // of which it has the id alone.
      resolved.push(item)
      continue
    }
    if (found === undefined) {
      const message = `Item with id '${shortened(item.id)}' not found. Items are not persisted when 'store' is set to false.`
      throw new RequestError(message, { param: `input[${index}].id`, status: 404 })
    }
    resolved.push(found.item)
  }
  const histories = await Promise.all(
    [...holders].map(async (id) => {
      const found = await store.find(id, owner)
      return found?.state === 'finished' ? found.finished.history : (remembered?.(id)?.history ?? [])
    }),
  )
  // Each response has the transcripts of those before it: only the longest lists are needed.
  return { items: resolved, history: [...new Set(histories.flat())] }
}

/** Clients send most items without ids; a kept one has one, so that it can be listed and referred to. */
function withId(item: InputItem, index: number, responseId: string): InputItem {
  const { id } = item as { readonly id?: unknown }
  if (typeof id === 'string' && id !== '') return item
  return merged(item, {
    id: deriveId(PREFIXES.get(item.type ?? 'message') ?? 'item', index, `${responseId} input`),
  }) as InputItem
}

const PREFIXES: ReadonlyMap<string, 'msg' | 'rs' | 'fc' | 'ctc' | 'mcpr'> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['function_call_output', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctc'],
  ['mcp_approval_response', 'mcpr'],
] as const)

function shortened(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}...` : id
}
