import { deriveId } from '../../../../core/options/ids.js'
import type { ApprovedCall } from '../../../../core/options/options.js'
import { itemWithoutSecrets } from '../../../../core/response-object/without-secrets.js'
import type { InputItem } from '../../../../core/responses/input-items.js'
import type { ParsedRequest } from '../../../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../../../core/responses/request.js'
import { merged } from '../../../../shared/merged.js'
import { RequestError } from '../../../../shared/request-error.js'
import { shortened } from '../../../../shared/shortened.js'
import { createPace, createWork, type Pause, withPauses } from '../../../../shared/slices.js'
import type { ConversationAddition, StoredHistoryEntry } from '../../../journal/entry.js'
import type { HistoryEntry } from '../../../prompt/history.js'
import type { EarlierPrompt } from '../../../prompt/known-conversation.js'
import type { TextCache } from '../../../prompt/text-cache.js'
import { checkToolChoice, hasOtherItems } from '../../../request/consistency.js'
import type { Seal } from '../../../seal/index.js'
import { invalidEncryptedContent } from '../../../seal/invalid-encrypted-content.js'
import { unsealInputInSlices } from '../../../seal/unseal-input.js'
import type { ConversationTurn, FinishedResponse, ResponseStore } from '../../../stores/store.js'
import { approvedCalls, requestedInStore, requestsShown, unknownRequests, withRequests } from './approvals.js'
import { isCutOff } from './cut-off.js'
import {
  type EarlierContext,
  type EarlierResponses,
  earlierResponses,
  itemsOfResponses,
  NO_RESPONSES,
  type Predecessor,
} from './earlier-responses.js'
import { withoutForeignReasoning } from './foreign-reasoning.js'
import type { KnownConversations } from './known-conversations.js'
import type { KnownTexts } from './known-texts.js'
import { conversationIdOf, findNamed, type WithConversations } from './named-conversation.js'

/** The index of an item in the client's input. */
export type Place = number | undefined

/** A request with everything that it refers to. */
export interface ResolvedRequest {
  readonly request: ResponseRequest
  /** The whole conversation before the response. Each item has an id. */
  readonly input: readonly InputItem[]
  /** For each item of `request`, its index in the request's own input; undefined if the request did not bring it. */
  readonly places: readonly Place[]
  readonly history: readonly HistoryEntry[]
  /** Its addition to the stored conversation. */
  readonly addition: ConversationAddition
  /** Its own addition. `addition` contains more if it continues responses that are not stored. */
  readonly own: ConversationAddition
  readonly before: Predecessor | undefined
  /** The responses that it continues. */
  readonly responses: readonly FinishedResponse[]
  /** The conversation that it names, of which those are the responses. */
  readonly turn?: ConversationTurn
  /** When it began, in Unix seconds; absent if with this response. */
  readonly began?: number
  /** The earlier rendering of its predecessors; undefined if it has none. */
  readonly earlier: EarlierPrompt | undefined
  /** The encoded texts of the conversation's first prompt; undefined if they are not kept. */
  readonly texts?: TextCache | undefined
  /** Checked against a seal or the store, never against the client's copy. Not consumed yet. */
  readonly approvedCalls: readonly ApprovedCall[]
}

export interface ConversationContext extends EarlierContext {
  readonly store: Pick<ResponseStore, 'find' | 'findItem' | 'lineage'> & WithConversations
  readonly seal: Seal
  /** How to treat content of a foreign seal: see `unsealInput`. */
  readonly foreignSeals: 'refuse' | 'ignore'
  /** Receives the places of ignored content that did not open. Not called if there is none. */
  readonly onUnopened: (params: readonly string[]) => void
  readonly known: KnownConversations
  readonly texts: KnownTexts
  readonly responseId: string
  readonly pause: Pause
  readonly signal?: AbortSignal
}

type Pace = ReturnType<typeof createPace>

/** What the request's own items have sealed, and the requests for approval that they answer. */
interface Unsealed {
  readonly history: readonly HistoryEntry[]
  readonly shown: ReturnType<typeof requestsShown>
  readonly groups: Parameters<typeof withRequests>[2]
}

/** The cost of an item, in encoded characters. */
const ITEM = 16

/**
 * Resolves the earlier responses and items that a request refers to. Those were checked, opened and given ids when they
 * arrived, so only the request's own items are.
 *
 * @throws RequestError if one is missing, or a seal cannot be opened
 */
export async function resolveConversation(
  parsed: ParsedRequest,
  context: ConversationContext,
): Promise<ResolvedRequest> {
  const { owner, seal, foreignSeals } = context
  const conversationId = conversationIdOf(parsed)
  const named = conversationId === undefined ? undefined : await findNamed(context.store, conversationId, owner)
  const turn = named && { conversationId: conversationId as string, last: named.last }
  const earlier = await earlierOf(turn?.last ?? parsed.previous_response_id, context)
  const pace = createPace(context.pause, context.signal)
  // A store answers many requests in one turn, each of which now walks through its conversation.
  await pace(earlier.responses.length * ITEM)
  const [first] = earlier.responses
  const { items: before, readable, history, prompt } = context.known.of(earlier.responses)
  await pace(before.length)
  const found = await resolveReferences(itemsOf(parsed.input), earlier, context, pace)
  const sent = await withIds(found.items, context.responseId, pace)
  // Each of the following passes costs as much as encoding a character of each item.
  const pass = (): Promise<void> | undefined => pace(sent.length)
  await pass()
  // Opened before ids are assigned: sealed reasoning without the client's id gets that of its seal.
  const unsealed = await unseal({ found: found.items, sent, before }, context, pass)
  const { shown, groups } = unsealed
  const { input: items, places } = withRequests(sent, shown, groups)
  await pass()
  const own: ConversationAddition = {
    ...previousOf(earlier),
    ...additionOf(items, [...found.history, ...unsealed.history]),
  }
  const trusted = foreignSeals === 'ignore' ? withoutForeignReasoning(items, seal) : items
  await pass()
  const read = trusted.filter(isRead)
  await pass()
  // Concatenated, because spreading copies a list of references ten times as slowly.
  const request = { ...parsed, input: readable.concat(read) }
  if (hasOtherItems(parsed)) checkToolChoice(request as ParsedRequest)
  const readPlaces = places.filter((_, at) => isRead(items[at] as InputItem))
  await pass()
  return {
    // The parsed request has fields that `ResponseRequest` leaves open.
    request: request as ResponseRequest,
    input: before.concat(items),
    places: new Array<Place>(before.length).concat(readPlaces),
    history: history.concat(own.history ?? []),
    addition: sinceStored(earlier, own),
    own,
    before: earlier.before,
    responses: earlier.responses,
    ...(turn && { turn }),
    earlier: prompt,
    texts: parsed.store === false ? undefined : textsOf(sent, earlier, context),
    approvedCalls: approvedCalls(sent, before, groups.flat()),
    ...(first && { began: first.response.created_at }),
  }
}

/**
 * Opens what is sealed in the request's own items, and finds the requests for approval that they answer.
 *
 * @throws RequestError if a seal cannot be opened, or an approval answers no request
 */
async function unseal(
  { found, sent, before }: Readonly<Record<'found' | 'sent' | 'before', readonly InputItem[]>>,
  context: ConversationContext,
  pass: () => Promise<void> | undefined,
): Promise<Unsealed> {
  const { seal, owner: caller, foreignSeals: foreign, onUnopened } = context
  const unopened = new Set<string>()
  const onForeign = (param: string): void => {
    unopened.add(param)
  }
  const unsealing = unsealInputInSlices(found, { seal, caller, foreign, onForeign }, createWork())
  const { requestedCalls, history } = await withPauses(unsealing, context.pause, context.signal)
  await pass()
  const shown = requestsShown(before, sent)
  const groups = [...requestedCalls.map((call) => [call]), ...(await requestedInStore(sent, shown, context))]
  await pass()
  for (const param of unknownRequests(sent, before, groups.flat())) {
    if (foreign === 'refuse') throw invalidEncryptedContent(param)
    unopened.add(param)
  }
  if (unopened.size > 0) onUnopened([...unopened])
  await pass()
  return { history, shown, groups }
}

/**
 * Returns the encoded texts of a conversation's first prompt, until its third one, for which all is remembered. None of a
 * client that sends what the model wrote: it will send the whole conversation again.
 */
function textsOf(
  sent: readonly InputItem[],
  { responses }: EarlierResponses,
  { texts, responseId }: ConversationContext,
): TextCache | undefined {
  const [first] = responses
  if (first === undefined) return sent.every(isAsked) ? texts.of(responseId) : undefined
  if (responses.length === 1) return texts.after(first.response.id)
  texts.forget(first.response.id)
  return undefined
}

function isAsked(item: InputItem): boolean {
  return 'role' in item && item.role !== 'assistant'
}

async function earlierOf(id: string | undefined, context: ConversationContext): Promise<EarlierResponses> {
  return id === undefined ? NO_RESPONSES : await earlierResponses(id, context)
}

/** Returns a request's items with their ids, and without secrets. */
async function withIds(items: readonly InputItem[], responseId: string, pace: Pace): Promise<InputItem[]> {
  const sent: InputItem[] = []
  for (const [index, item] of items.entries()) {
    sent.push(withId(itemWithoutSecrets(item), index, responseId))
    const due = pace(ITEM)
    if (due !== undefined) await due
  }
  return sent
}

/**
 * Whether the model reads an item of the client: cut-off items are omitted, as in a stored response, or the prompt of a
 * client that sends everything back would differ. Calls that a client runs are read if it answers them.
 */
export function isRead(item: InputItem): boolean {
  return 'call_id' in item || !isCutOff(item)
}

function previousOf({ previous }: EarlierResponses): Pick<ConversationAddition, 'previous'> {
  return previous === undefined ? {} : { previous }
}

function additionOf(input: readonly InputItem[], history: readonly HistoryEntry[]): ConversationAddition {
  return { input, ...(history.length > 0 && { history: history.map(plainTokens) }) }
}

/** Converts typed arrays, which a store may return, to plain JSON. */
function plainTokens(entry: HistoryEntry): StoredHistoryEntry {
  return 'tokens' in entry ? { ...entry, tokens: Array.from(entry.tokens) } : entry
}

/** Returns the items to add to the stored conversation, including those of responses that are not stored. */
function sinceStored(earlier: EarlierResponses, own: ConversationAddition): ConversationAddition {
  const transient = earlier.responses.slice(earlier.stored)
  if (transient.length === 0) return own
  const history = [...transient.flatMap((response) => response.history), ...(own.history ?? [])]
  return { ...previousOf(earlier), ...additionOf([...itemsOfResponses(transient), ...own.input], history) }
}

function itemsOf(input: ParsedRequest['input'] = []): readonly InputItem[] {
  if (typeof input !== 'string') return input as readonly InputItem[]
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }] as readonly InputItem[]
}

/** Returns the referenced items, and their stored transcripts. @throws RequestError if one is missing */
async function resolveReferences(
  items: readonly InputItem[],
  { responses }: EarlierResponses,
  { owner, store, remembered }: ConversationContext,
  pace: Pace,
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
      // An item that a client sends back gains its transcript: the sampled tokens, and the text of reasoning with only
      // an id.
      resolved.push(item)
      continue
    }
    if (found === undefined) {
      const message = `Item with id '${shortened(item.id, 80)}' not found. Items are not persisted when 'store' is set to false.`
      throw new RequestError(message, { param: `input[${index}].id`, status: 404 })
    }
    resolved.push(found.item)
  }
  if (holders.size === 0) return { items: resolved, history: [] }
  // The conversation already contains theirs.
  for (const { response } of responses) holders.delete(response.id)
  const finished = await Promise.all(
    [...holders].map(async (id): Promise<FinishedResponse | undefined> => {
      const found = await store.find(id, owner)
      return found?.state === 'finished' ? found.finished : remembered?.(id)?.finished
    }),
  )
  return { items: resolved, history: finished.flatMap((holder) => holder?.history ?? []) }
}

/** Assigns an id: clients send most items without ids, but a stored one needs one to be listed and referred to. */
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
