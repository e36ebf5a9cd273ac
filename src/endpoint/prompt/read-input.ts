import type { RequestTools } from '../../core/recipients/request-tools.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import { type Fields, isFields } from '../../shared/fields.js'
import { merged } from '../../shared/merged.js'
import { invalidType } from '../../shared/request-error.js'
import { fieldOf, nameIn, objectAt, optionalTextIn, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'
import { atOnce, createWork, onePass, type Slices, type Work } from '../../shared/slices.js'
import { type AttachmentReading, attachmentHandling, attachmentReaders } from './attachments.js'
import { Conversation, type ReadMessage } from './conversation.js'
import { guessPhases } from './guess-phases.js'
import { readerOf } from './items/input-items.js'
import type { ReadContext, UnsealedText } from './items/item-reader.js'
import { itemsToRead } from './items-to-read.js'
import { isRepeat } from './repeated-item.js'
import { resultsInCallOrder } from './result-order.js'

export interface ReadInputOptions {
  readonly tools: RequestTools
  /** The namespaces that items teach at their places, by item. */
  readonly taughtAt?: ReadContext['taughtAt']
  readonly attachments: AttachmentReading
  readonly unsealed: (blob: string) => UnsealedText | undefined
  /** Called for each image and file that a placeholder stands in for. */
  readonly onPlaceholder: () => void
  /** The ids of the approval requests whose calls are to be run. Default: none. */
  readonly pendingApprovals?: ReadonlySet<string> | undefined
}

/**
 * Reads the messages of a response in progress, in the order of its items. Its calls may lack outputs.
 *
 * @throws RequestError
 */
export function readOutput(items: readonly object[], options: ReadInputOptions): ReadMessage[] {
  const work = createWork()
  return atOnce(guessPhases(atOnce(conversationOf(itemsOf(items), options, work)).messages, work))
}

/** The cost of an item apart from its text, in characters. */
const ITEM = 16

/**
 * Reads the messages of `input`, in the order of its items, except that results are {@link inCallOrder}. Items that the
 * latest compaction replaces are skipped.
 *
 * @throws RequestError
 */
export function* readInputInSlices(input: unknown, options: ReadInputOptions, work: Work): Slices<ReadMessage[]> {
  if (typeof input === 'string') return [{ role: 'user', content: input, item: 0 }]
  const items = itemsOf(input)
  yield* onePass(items, work)
  const conversation = yield* conversationOf(items, options, work)
  conversation.finish()
  yield* onePass(items, work)
  return yield* inCallOrder(yield* guessPhases(conversation.messages, work), work)
}

function* conversationOf(items: readonly Fields[], options: ReadInputOptions, work: Work): Slices<Conversation> {
  const conversation = new Conversation()
  const { tools, taughtAt, unsealed } = options
  const context: Omit<ReadContext, 'attach'> = {
    tools,
    taughtAt,
    unsealed,
    conversation,
    answeredApprovals: approvalsAnsweredIn(items),
    approvalCalls: new Map(),
    pendingApprovals: options.pendingApprovals ?? new Set(),
  }
  yield* onePass(items, work)
  const isRead = yield* itemsToRead(items, (blob) => unsealed(blob)?.text, work)
  yield* readItems(items, { from: 0, until: items.length }, context, { ...options, isRead }, work)
  return conversation
}

/** Returns the ids of the approval requests that are answered. */
function approvalsAnsweredIn(items: readonly Fields[]): ReadonlySet<unknown> {
  const answered = new Set<unknown>()
  for (const item of items) if (item['type'] === 'mcp_approval_response') answered.add(item['approval_request_id'])
  return answered
}

/** Does {@link resultsInCallOrder} before the messages are looked up in transcripts. */
export function* inCallOrder(messages: ReadMessage[], work: Work): Slices<ReadMessage[]> {
  const hasNone = messages.every(({ answers }) => answers === undefined)
  yield* onePass(messages, work)
  if (hasNone) return messages
  const entries = messages.map((message) => ({ message }))
  yield* onePass(entries, work)
  const ordered = yield* resultsInCallOrder(entries, work)
  yield* onePass(ordered, work)
  return ordered.map(({ message }) => message)
}

/** Reads some of the items into the context's conversation. @throws RequestError */
export function* readItems(
  items: readonly Fields[],
  { from, until }: { readonly from: number; readonly until: number },
  context: Omit<ReadContext, 'attach'>,
  options: Pick<ReadInputOptions, 'attachments' | 'onPlaceholder'> & { readonly isRead: (index: number) => boolean },
  work: Work,
): Slices<void> {
  const { conversation } = context
  const { refuse, placeholder } = attachmentReaders(options.attachments, options.onPlaceholder)
  const contexts = {
    refuse: merged(context, { attach: refuse }),
    placeholder: merged(context, { attach: placeholder }),
  }
  const handlingOf = attachmentHandling(items, options.attachments)
  for (let index = from; index < until; index++) {
    work.left -= ITEM
    if (work.left <= 0) yield* work.pause()
    if (!options.isRead(index)) continue
    const item = items[index] as Fields
    const param = `input[${index}]`
    const type = typeOf(item, param)
    const id = optionalTextIn(item, 'id', param) ?? ''
    if (isRepeat(item, type, items, conversation)) continue
    // The output of a local shell call has the id of the call that it answers.
    if (id !== '' && type !== 'local_shell_call_output') conversation.claimId(id, index, `${param}.id`)
    readerOf(type, param)(item, contexts[handlingOf(index)], index, param)
  }
}

/** Returns the listings that clients send back with the conversation. */
function listingsIn(input: unknown): McpListing[] {
  if (typeof input === 'string') return []
  const listings: McpListing[] = []
  // A plain loop: of up to 100,000 items few are listings.
  for (const [index, item] of itemsOf(input).entries()) {
    if (item['type'] !== 'mcp_list_tools' || fieldOf(item, 'error') !== undefined) continue
    const param = `input[${index}]`
    const serverLabel = nameIn(item, 'server_label', param)
    const tools = itemsOf(item['tools'], `${param}.tools`).map((tool, at) => ({
      name: nameIn(tool, 'name', `${param}.tools[${at}]`),
      description: optionalTextIn(tool, 'description', `${param}.tools[${at}]`),
      input_schema: fieldOf(tool, 'input_schema') ?? {},
      annotations: fieldOf(tool, 'annotations'),
    }))
    listings.push({ serverLabel, tools })
  }
  return listings
}

/** Returns the listings of the host's servers and, for other servers, those that clients send back. */
export function listingsWith(input: unknown, listings: readonly McpListing[]): McpListing[] {
  const known = new Set(listings.map(({ serverLabel }) => serverLabel))
  return [...listings, ...listingsIn(input).filter(({ serverLabel }) => !known.has(serverLabel))]
}

function itemsOf(input: unknown, param = 'input'): readonly Fields[] {
  if (input === undefined || input === null) return []
  if (!Array.isArray(input)) throw invalidType(param, TEXT_OR_OBJECTS, input)
  // The path is written only where it is needed: for 100,000 items it takes longer than all else here.
  for (let index = 0; index < input.length; index++) {
    if (!isFields(input[index])) objectAt(input[index], `${param}[${index}]`)
  }
  return input
}

/** Infers a missing type: an item with a role is a message, any other a reference. */
function typeOf(item: Fields, param: string): string {
  if (fieldOf(item, 'type') !== undefined) return textIn(item, 'type', param)
  return fieldOf(item, 'role') !== undefined || fieldOf(item, 'id') === undefined ? 'message' : 'item_reference'
}
