import type { HarmonyMessage } from '../harmony/events.js'
import { resolvePolicy } from '../recipients/policy.js'
import type { Slices, Work } from '../slices.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { AttachmentPolicy } from './attachments.js'
import { Conversation, type ItemsBefore, type KnownCall, type ReadMessage } from './conversation.js'
import { isReasoning } from './drop-reasoning.js'
import { type Fields, fieldOf, objectAt } from './fields.js'
import { guessPhases } from './guess-phases.js'
import { type HistoryEntry, isThought, keyOf, recall } from './history.js'
import { headed, headOf, type PromptOptions } from './messages-of.js'
import type { RenderedMessages } from './prompt-message.js'
import { listingsWith, readItems } from './read-input.js'
import { renderMessagesInSlices } from './render-messages.js'
import type { RenderPromptOptions } from './render-prompt.js'
import { SettledTokens } from './settled-tokens.js'
import { type TaughtTools, teachTools } from './taught-tools.js'
import { hashOf } from './text-hash.js'
import { createTokenBuffer } from './token-buffer.js'
import { readTranscriptInSlices } from './transcript.js'
import { HOSTED_BUILTINS } from './untaught-tools.js'

/*
 * What of a conversation was read and rendered for an earlier prompt, so that the next one reads what is new alone. It
 * gives the ids that reading all of it would give: where something new could change what stands before it, or could be
 * taken for it, nothing is known, and all is read. So the ids never depend on what a process remembers.
 */

/** The types of items that stand for themselves: what is read of them does not depend on those that come later. */
const SETTLED: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'web_search_call',
  'code_interpreter_call',
  'mcp_call',
  'mcp_list_tools',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'local_shell_call',
  'local_shell_call_output',
])

/** How a conversation is read: all but its items. */
export interface Reading {
  /** What decides how an item is read: two readings of one key read alike. */
  readonly key: string
  readonly tools: TaughtTools
  readonly attachments: AttachmentPolicy
  readonly tokenTable: TokenTable
  readonly items: readonly Fields[]
  readonly history: readonly HistoryEntry[]
}

/** A part of a conversation: items, and the entries of the history that came with them. */
export interface Part {
  readonly items: number
  readonly history: number
}

/** The part of a conversation that came with earlier responses, and what is remembered of how it was rendered. */
export interface EarlierPrompt extends Part {
  /** What is known of the beginning of the conversation. It is the caller's, and nobody else's until it is given back. */
  take(): KnownConversation | undefined
  give(known: KnownConversation): void
}

/** Items that were read, before they are added to what is known. */
interface Delta {
  readonly conversation: Conversation
  readonly placeholders: number
  /** Instructions that everything else follows. */
  readonly leading: readonly string[]
  readonly rendered: RenderedMessages
  readonly matching: Matching
}

/** Hashes of what is said. */
interface Matching {
  /** In items, and in transcripts. */
  readonly said: readonly number[]
  readonly sampled: readonly number[]
  /** What no transcript has, and what of the transcripts no item has. */
  readonly unmatched: readonly number[]
  readonly leftover: readonly number[]
}

/** The beginning of a conversation, as it was read. */
export class KnownConversation implements ItemsBefore {
  readonly key: string
  readonly #tokens = new SettledTokens()
  readonly #leading: string[] = []
  readonly #ids = new Set<string>()
  readonly #calls = new Map<string, Readonly<KnownCall>>()
  readonly #open = new Set<string>()
  readonly #said = new Set<number>()
  readonly #sampled = new Set<number>()
  readonly #unmatched = new Set<number>()
  readonly #leftover = new Set<number>()
  #items = 0
  #history = 0
  #placeholders = 0
  #saidCount = 0

  constructor(key: string) {
    this.key = key
  }

  /** How much of the conversation it is. */
  get part(): Part {
    return { items: this.#items, history: this.#history }
  }

  /** About how many bytes it takes. */
  get bytes(): number {
    const hashes = this.#said.size + this.#sampled.size + this.#unmatched.size + this.#leftover.size
    const entries = this.#ids.size + this.#calls.size + hashes
    return this.#tokens.bytes + 100 * entries
  }

  hasId(id: string): boolean {
    return this.#ids.has(id)
  }

  call(callId: string): Readonly<KnownCall> | undefined {
    return this.#calls.get(callId)
  }

  /**
   * Adds what follows, up to where `part` ends.
   *
   * @param most - how many tokens may be added
   * @returns whether it is known now; else nothing of it is of use any more
   * @throws RequestError if an item cannot be read
   */
  *settle(reading: Reading, part: Part, work: Work, most?: number): Slices<boolean> {
    if (part.items === this.#items && part.history === this.#history) return true
    // What is known cannot be taken back.
    if (part.items < this.#items || part.history < this.#history) return false
    const delta = yield* this.#read(reading, part, work, most)
    if (delta === undefined) return false
    const { conversation, placeholders, leading, rendered, matching } = delta
    // Instructions that nothing follows would be a part of the head, and the next ones too.
    if (this.#items === 0 && rendered.messages.length === 0) return false
    for (const text of leading) this.#leading.push(text)
    for (const id of conversation.ids) this.#ids.add(id)
    for (const [callId, call] of conversation.calls) {
      this.#calls.set(callId, call)
      if (call.isAnswered) this.#open.delete(callId)
      else this.#open.add(callId)
    }
    for (const hash of matching.said) this.#said.add(hash)
    for (const hash of matching.sampled) this.#sampled.add(hash)
    for (const hash of matching.unmatched) this.#unmatched.add(hash)
    for (const hash of matching.leftover) this.#leftover.add(hash)
    this.#tokens.add(rendered)
    this.#saidCount += saidIn(rendered)
    this.#placeholders += placeholders
    this.#items = part.items
    this.#history = part.history
    return true
  }

  /**
   * The prompt of all items.
   *
   * @returns undefined if it has to be read as a whole
   * @throws RequestError if an item cannot be read
   */
  *render(
    request: Fields,
    reading: Reading,
    options: RenderPromptOptions,
    work: Work,
    most?: number,
  ): Slices<RenderedPrompt | undefined> {
    const { items, history, tools, tokenTable } = reading
    const delta = yield* this.#read(reading, { items: items.length, history: history.length }, work, most)
    if (delta === undefined) return undefined
    const { calls } = delta.conversation
    const isOpen = (callId: string): boolean => calls.get(callId)?.isAnswered !== true
    if ([...calls.keys()].some(isOpen) || [...this.#open].some(isOpen)) return undefined
    const messages = yield* headOf(request, this.#leading, tools, options, work)
    const head = yield* renderMessagesInSlices(messages, { tokenTable, work, most, known: options.known })
    if (head === undefined) return undefined
    const buffer = createTokenBuffer(head.tokens.length + this.#tokens.length + delta.rendered.tokens.length)
    buffer.append(head.tokens)
    this.#tokens.copyTo(buffer, delta.rendered)
    return {
      tokens: buffer.view(),
      said: this.#saidCount + saidIn(delta.rendered),
      placeholders: this.#placeholders + delta.placeholders,
    }
  }

  *#read(
    { items, history, tools, attachments, tokenTable }: Reading,
    part: Part,
    work: Work,
    most: number | undefined,
  ): Slices<Delta | undefined> {
    const added = items.slice(this.#items, part.items)
    if (!added.every(isSettled)) return undefined
    const known = history.slice(this.#history, part.history)
    const sealed = new Map(known.flatMap((entry) => ('sealed' in entry ? [[entry.sealed, entry] as const] : [])))
    // A seal with a form tells of the messages before it.
    for (const { form } of sealed.values()) if (form !== undefined) return undefined
    const conversation = new Conversation(this)
    let placeholders = 0
    const context = { tools, conversation, answeredApprovals: new Set(), approvalCalls: new Map() }
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
    const messages = guessPhases(conversation.messages)
    if (conversation.isEarly || !isSelfContained(conversation.messages)) return undefined
    const first = this.#items > 0 ? 0 : messages.findIndex(({ role }) => role !== 'developer')
    const leading = messages.splice(0, first === -1 ? messages.length : first).map(({ content }) => content)
    const read = messages.map(headed)
    const matching = yield* this.#match(read, known, tools, tokenTable, work)
    if (matching === undefined) return undefined
    const found = yield* recall(read, known, tools, tokenTable, work)
    const rendered = yield* renderMessagesInSlices(found, { tokenTable, work, most })
    if (rendered === undefined) return undefined
    return { conversation, placeholders, leading, rendered, matching }
  }

  /**
   * Undefined if a message may be found in an earlier transcript, or an earlier message in one of these transcripts, when
   * all is read: then what is known may be read otherwise. Messages look for their places as in `findPlaces`: those of the
   * model from the last back, results from the first on. What says the same is found before what stands beside it.
   */
  *#match(
    messages: readonly ReadMessage[],
    history: readonly HistoryEntry[],
    tools: TaughtTools,
    tokenTable: TokenTable,
    work: Work,
  ): Slices<Matching | undefined> {
    const free = new Map<number, number[]>()
    const sampled: number[] = []
    for (const entry of history) {
      if (!('tokens' in entry)) continue
      for (const { message } of yield* readTranscriptInSlices(entry.tokens, tokenTable, work)) {
        const hash = hashOf(keyOf(message, tools))
        if (this.#unmatched.has(hash)) return undefined
        const places = free.get(hash) ?? []
        free.set(hash, places)
        places.push(sampled.length)
        sampled.push(hash)
      }
    }
    const said: number[] = []
    const unmatched: number[] = []
    const isSampled = sampled.length > 0 || this.#sampled.size > 0
    let next = Number.POSITIVE_INFINITY
    for (const message of messages.toReversed()) {
      if (message.missing !== undefined || message.role === 'tool') continue
      const hashes = hashesOf(message, tools)
      said.push(...hashes)
      const [hash = 0] = hashes
      const places = free.get(hash) ?? []
      const before = places.findLastIndex((place) => place < next)
      // Without a place of its own before the next message, what the model is said to have said may be found anywhere.
      if (before === -1 && message.role === 'assistant' && isSampled) return undefined
      const [place] = before === -1 ? [] : places.splice(before, 1)
      if (place !== undefined) next = place
      else unmatched.push(...hashes)
    }
    for (const message of messages) {
      if (message.missing !== undefined || message.role !== 'tool') continue
      const hash = hashOf(keyOf(message, tools))
      said.push(hash)
      if (this.#leftover.has(hash)) return undefined
      if (free.get(hash)?.shift() === undefined) unmatched.push(hash)
    }
    const leftover = [...free].flatMap(([hash, places]) => (places.length > 0 ? [hash] : []))
    if (leftover.some((hash) => this.#said.has(hash))) return undefined
    return { said, sampled, unmatched, leftover }
  }
}

export interface RenderedPrompt {
  /** Without the `<|start|>assistant` of the next message. */
  readonly tokens: Uint32Array
  /** How many messages there are besides instructions and reasoning. */
  readonly said: number
  readonly placeholders: number
}

function saidIn({ messages }: RenderedMessages): number {
  return messages.filter((message) => message.role !== 'developer' && !isReasoning(message as never)).length
}

/** How the conversation of a request is read. @throws RequestError */
export function readingOf(
  request: object,
  options: PromptOptions & { readonly tokenTable: TokenTable },
): Reading | undefined {
  const { listings = [], history = [], images = 'refuse-last', hosted = HOSTED_BUILTINS, policy, tokenTable } = options
  const fields = objectAt(request, 'request')
  const input = fieldOf(fields, 'input')
  // A policy of the host's own may have anything in it.
  if (!Array.isArray(input) || (policy !== undefined && typeof policy !== 'string')) return undefined
  const items = input as readonly Fields[]
  const listed = items.filter((item) => item['type'] === 'mcp_list_tools')
  const all = listingsWith(listed, listings)
  const key = JSON.stringify([fields['tools'], fields['tool_choice'], all, hosted, images, policy])
  return {
    key,
    tools: teachTools(fields, all, resolvePolicy(policy), hosted),
    attachments: images,
    tokenTable,
    items,
    history,
  }
}

function isSettled({ type, approval_request_id: approval }: Fields): boolean {
  return SETTLED.has(type ?? undefined) && (type !== 'mcp_call' || approval == null)
}

/** Whether the messages beside them change nothing: those without a text or a phase look at their neighbours. */
function isSelfContained(messages: readonly ReadMessage[]): boolean {
  if (messages[0]?.missing !== undefined || messages.at(-1)?.missing !== undefined) return false
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'developer')
  return messages.every(({ hasNoPhase, isSummary, sampled }, at) => {
    return !isSummary && sampled === undefined && (!hasNoPhase || at < last)
  })
}

/** What a message says, and as what else it may be found. */
function hashesOf(message: HarmonyMessage, tools: TaughtTools): number[] {
  const hashes = [hashOf(keyOf(message, tools))]
  if (isThought(message)) hashes.push(hashOf(keyOf({ ...message, channel: 'commentary' }, tools)))
  return hashes
}
