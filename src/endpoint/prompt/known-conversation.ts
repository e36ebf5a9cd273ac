import { BUILTIN_TOOLS, builtinNamed } from '../../core/recipients/builtin-tools.js'
import { type DeclaringRequest, toolLists } from '../../core/recipients/conversation-tools.js'
import { presetOf } from '../../core/recipients/policy.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { Fields } from '../../shared/fields.js'
import { fieldOf, objectAt } from '../../shared/request-fields.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import type { AttachmentReading } from './attachments.js'
import { Conversation, type ItemsBefore, type KnownCall, type ReadMessage } from './conversation.js'
import { isReasoning } from './drop-reasoning.js'
import { guessPhases } from './guess-phases.js'
import { findIn, type HistoryEntry, recalled } from './history.js'
import type { RenderedMessages } from './prompt-message.js'
import { headed, headOf, takeLeading } from './prompt-messages.js'
import { inCallOrder, readItems } from './read-input.js'
import { renderMessagesInSlices } from './render-messages.js'
import type { RenderOptions } from './render-prompt.js'
import { type PlacesOfPart, SettledPlaces } from './settled-places.js'
import { SettledTokens } from './settled-tokens.js'
import type { TaughtTools } from './taught-tools.js'
import type { TextCache } from './text-cache.js'
import { createTokenBuffer } from './token-buffer.js'

/*
 * The beginning of a conversation as it was read and rendered for an earlier prompt, so that the next prompt reads only
 * the new items. It yields the ids that reading everything would: if a new item could change an earlier message, or be
 * taken for one, nothing is reused and everything is read. So the ids never depend on what a process remembers.
 */

/** The types of items whose reading does not depend on later items. */
const SETTLED: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'mcp_call',
  'mcp_list_tools',
  ...BUILTIN_TOOLS.map((tool) => builtinNamed(tool).item),
  'shell_call_output',
  'apply_patch_call_output',
  'local_shell_call_output',
  // The key has all of them.
  'additional_tools',
  'tool_search_output',
  'configuration_update',
  'agent_message',
  'computer_call',
  'computer_call_output',
  'multi_agent_call',
  'multi_agent_call_output',
  'program',
  'program_output',
  'tool_search_call',
])

/** The cost of an entry of the index, in encoded characters. */
const ENTRY = 2

/** The parameters of reading a conversation, except its items. */
export interface Reading {
  /** A key of all that affects the reading of items: readings with the same key read alike. */
  readonly key: string
  readonly tools: TaughtTools
  readonly attachments: AttachmentReading
  readonly tokenTable: TokenTable
  /** The cache of encoded texts. */
  readonly known?: TextCache | undefined
  readonly items: readonly Fields[]
  readonly history: readonly HistoryEntry[]
}

/** A part of a conversation: items, and the history entries that came with them. */
export interface Part {
  readonly items: number
  readonly history: number
}

/** The part of a conversation from earlier responses, with its remembered rendering. */
export interface EarlierPrompt extends Part {
  /**
   * Waits until no other response renders this conversation, which then is known. Returns a function that ends the
   * rendering, and has to be called.
   */
  begin(): Promise<() => void>
  /** Takes the remembered beginning of the conversation. The caller owns it until it is given back. */
  take(): KnownConversation | undefined
  give(known: KnownConversation): void
}

/** New items that were read but not added to the known ones yet. */
interface Delta {
  readonly conversation: Conversation
  readonly placeholders: number
  /** Instructions that precede everything else. */
  readonly leading: readonly string[]
  readonly rendered: RenderedMessages
  readonly places: PlacesOfPart
}

/** The beginning of a conversation as it was read. */
export class KnownConversation implements ItemsBefore {
  readonly key: string
  readonly #tokens = new SettledTokens()
  readonly #leading: string[] = []
  readonly #ids = new Map<string, number>()
  /** The ids of items with transcripts that the conversation leaves out, because they were cut off. */
  readonly #leftOut = new Set<string>()
  readonly #calls = new Map<string, Readonly<KnownCall>>()
  readonly #open = new Set<string>()
  readonly #places = new SettledPlaces()
  #items = 0
  #turns = 0
  #history = 0
  #placeholders = 0
  #messageCount = 0

  constructor(key: string) {
    this.key = key
  }

  /** The part of the conversation that it covers. */
  get part(): Part {
    return { items: this.#items, history: this.#history }
  }

  /** Its approximate size in bytes. */
  get bytes(): number {
    const entries = this.#ids.size + this.#calls.size + this.#places.size
    return this.#tokens.bytes + 100 * entries + 2 * this.key.length
  }

  get turns(): number {
    return this.#turns
  }

  itemOf(id: string): number | undefined {
    return this.#ids.get(id)
  }

  call(callId: string): Readonly<KnownCall> | undefined {
    return this.#calls.get(callId)
  }

  /**
   * Adds the items that follow, up to the end of `part`.
   *
   * @param max - the maximum number of tokens to add
   * @returns whether the part is known now; if not, the object is of no further use
   * @throws RequestError if an item cannot be read
   */
  *settle(reading: Reading, part: Part, work: Work, max?: number): Slices<boolean> {
    if (part.items === this.#items && part.history === this.#history) return true
    // Known items cannot be removed.
    if (part.items < this.#items || part.history < this.#history) return false
    const delta = yield* this.#read(reading, part, work, max)
    if (delta === undefined) return false
    const { conversation, placeholders, leading, rendered, places } = delta
    // Instructions with nothing after them would belong to the head, and so would the next ones.
    if (this.#items === 0 && rendered.messages.length === 0) return false
    for (const text of leading) this.#leading.push(text)
    for (const [id, item] of conversation.ids) {
      this.#ids.set(id, item)
      work.left -= ENTRY
      if (work.left <= 0) yield* work.pause()
    }
    this.#turns = conversation.turns
    for (const id of reading.history.slice(this.#history, part.history).flatMap(itemsOf)) {
      if (!this.#ids.has(id)) this.#leftOut.add(id)
    }
    for (const [callId, call] of conversation.calls) {
      this.#calls.set(callId, call)
      if (call.isAnswered) this.#open.delete(callId)
      else this.#open.add(callId)
      work.left -= ENTRY
      if (work.left <= 0) yield* work.pause()
    }
    yield* onePass(rendered.messages, work)
    if (this.#hasOutputAfterOpenCall(rendered, reading.items)) return false
    yield* this.#places.add(places, work)
    yield* this.#tokens.add(rendered, work)
    this.#messageCount += messagesIn(rendered)
    yield* onePass(rendered.messages, work)
    this.#placeholders += placeholders
    this.#items = part.items
    this.#history = part.history
    return true
  }

  /**
   * Renders the prompt of all items.
   *
   * @returns undefined if the conversation has to be read as a whole
   * @throws RequestError if an item cannot be read
   */
  *render(
    request: Fields,
    reading: Reading,
    options: RenderOptions,
    work: Work,
    max?: number,
  ): Slices<RenderedPrompt | undefined> {
    const { items, history, tools, tokenTable } = reading
    const delta = yield* this.#read(reading, { items: items.length, history: history.length }, work, max)
    if (delta === undefined) return undefined
    const { calls } = delta.conversation
    const isOpen = (callId: string): boolean => calls.get(callId)?.isAnswered !== true
    if ([...calls.keys()].some(isOpen) || [...this.#open].some(isOpen)) return undefined
    const messages = yield* headOf(request, [...this.#leading, ...delta.leading], tools.head, options, work)
    const head = yield* renderMessagesInSlices(messages, { tokenTable, work, max, known: options.known })
    if (head === undefined) return undefined
    const buffer = createTokenBuffer(head.tokens.length + this.#tokens.length + delta.rendered.tokens.length)
    buffer.append(head.tokens)
    yield* this.#tokens.copyTo(buffer, delta.rendered, work)
    return {
      tokens: buffer.view(),
      messageCount: this.#messageCount + messagesIn(delta.rendered),
      placeholders: this.#placeholders + delta.placeholders,
    }
  }

  /** Whether a client's result follows a call without one, and may have to wait for that one. */
  #hasOutputAfterOpenCall({ messages }: RenderedMessages, items: readonly Fields[]): boolean {
    const open = new Set([...this.#open].map((callId) => this.#calls.get(callId)?.item))
    const first = open.size === 0 ? -1 : messages.findIndex(({ role, item }) => role === 'assistant' && open.has(item))
    return (
      first !== -1 &&
      messages.some(({ item }, at) => at > first && String(items[item ?? -1]?.['type']).endsWith('_call_output'))
    )
  }

  *#read(
    { items, history, tools, attachments, tokenTable, known: texts }: Reading,
    part: Part,
    work: Work,
    max: number | undefined,
  ): Slices<Delta | undefined> {
    const added = items.slice(this.#items, part.items)
    if (!added.every(isSettled)) return undefined
    yield* onePass(added, work)
    if (this.#leftOut.size > 0 && added.some(({ id }) => this.#leftOut.has(id as string))) return undefined
    const known = history.slice(this.#history, part.history)
    const sealed = new Map(known.flatMap((entry) => ('sealed' in entry ? [[entry.sealed, entry] as const] : [])))
    // A seal with a form records the messages before it.
    for (const { form } of sealed.values()) if (form !== undefined) return undefined
    const conversation = new Conversation(this)
    let placeholders = 0
    const approvals = { answeredApprovals: new Set(), approvalCalls: new Map(), pendingApprovals: new Set<string>() }
    const context = { tools, taughtAt: tools.later, conversation, ...approvals }
    const reading = {
      attachments,
      unsealed: (blob: string) => sealed.get(blob),
      onPlaceholder: () => {
        placeholders += 1
      },
    }
    const range = { from: this.#items, until: part.items }
    const how = { ...reading, isRead: () => true }
    yield* readItems(items, range, { ...context, unsealed: reading.unsealed }, how, work)
    const all = conversation.messages
    if (conversation.isEarly || !isSelfContained(all)) return undefined
    yield* onePass(all, work)
    const messages = yield* inCallOrder(yield* guessPhases(all, work), work)
    if (messages[0]?.missing !== undefined || messages.at(-1)?.missing !== undefined) return undefined
    const leading = this.#items > 0 ? [] : takeLeading(messages)
    const read = yield* headed(messages, {}, work)
    const findings = yield* findIn(
      read,
      known,
      (item) => items[item]?.['id'] as string | undefined,
      tools,
      tokenTable,
      work,
    )
    const places = yield* this.#places.afterwards(read, findings, tools, work)
    if (places === undefined) return undefined
    const found = yield* recalled(read, findings, tools, tokenTable, work)
    const rendered = yield* renderMessagesInSlices(found, { tokenTable, work, max, known: texts })
    if (rendered === undefined) return undefined
    return { conversation, placeholders, leading, rendered, places }
  }
}

export interface RenderedPrompt {
  /** Excludes the `<|start|>assistant` of the next message. */
  readonly tokens: Uint32Array
  /** The number of messages that are neither instructions nor reasoning. */
  readonly messageCount: number
  readonly placeholders: number
}

function messagesIn({ messages }: RenderedMessages): number {
  return messages.filter((message) => message.role !== 'developer' && !isReasoning(message)).length
}

/** Returns the parameters of reading a request's conversation. @throws RequestError */
export function readingOf(request: object, options: RenderOptions): Reading | undefined {
  const { tools, history = [], images = 'refuse-last', tokenTable, known } = options
  const { listings, hosted, policy } = tools
  const fields = objectAt(request, 'request')
  const input = fieldOf(fields, 'input')
  // A custom policy may contain anything.
  const preset = presetOf(policy)
  if (!Array.isArray(input) || preset === undefined) return undefined
  const lists = toolLists(fields as DeclaringRequest)
  const key = JSON.stringify([lists, fields['tool_choice'], listings, hosted, images, preset])
  return { key, tools, attachments: images, tokenTable, known, items: input as readonly Fields[], history }
}

function itemsOf(entry: HistoryEntry): readonly string[] {
  return ('tokens' in entry && entry.items) || []
}

function isSettled({ type, approval_request_id: approval }: Fields): boolean {
  return SETTLED.has(type ?? undefined) && (type !== 'mcp_call' || approval == null)
}

/** Whether the messages are independent of their neighbours: those without a phase are not. */
function isSelfContained(messages: readonly ReadMessage[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'developer')
  return messages.every(({ hasNoPhase, isSummary, sampled }, at) => {
    return !isSummary && sampled === undefined && (!hasNoPhase || at < last)
  })
}
