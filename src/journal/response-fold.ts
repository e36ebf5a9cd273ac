import { STOP_TOKENS } from '../engine/stop-tokens.js'
import { check, HarmonyResponsesError } from '../errors.js'
import type { ParserSnapshot } from '../harmony/parser.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import type { ResponseObject } from '../responses/response.js'
import type { EndReason, HostUsage } from '../tokens/token-source.js'
import { hostItem } from '../translate/host-item.js'
import type { ToolResult } from '../translate/output/tool-result.js'
import type { Translator } from '../translate/translator.js'
import {
  BEHAVIOUR,
  type CallUsage,
  type CompactionEntry,
  type EntryBody,
  type ItemEntry,
  type OpenEntry,
} from './entry.js'
import { reopenTurn } from './reopen-turn.js'
import { TurnCount } from './turn-count.js'

const TERMINATORS: readonly number[] = [...STOP_TOKENS, SPECIAL.end]

/** Where a response stands: what its entries ask for next. */
export type Stage =
  /** There is no `open` entry yet. */
  | 'new'
  /** No model call is under way: calls may wait for results, or the model for its turn. */
  | 'idle'
  /** The model is sampling. */
  | 'sampling'
  /** The model has stopped. */
  | 'stopped'
  | 'closed'

/** Makes the translator of a response. */
export type CreateTranslator = (open: OpenEntry, clock: () => number, fold: ResponseFold) => Translator

/**
 * A response, folded from its entries: the events that follow from each, and where it stands. The same entries give the
 * same events, in any process of the same {@link BEHAVIOUR}.
 */
export class ResponseFold {
  readonly #create: CreateTranslator
  readonly #assistant: readonly number[]
  #translator: Translator | undefined
  #open: OpenEntry | undefined
  /** As the engine gets it, at every call: copying a list of numbers takes ten times as long. Undefined until known. */
  #prompt: Uint32Array | undefined
  #promptSize = 0
  #at = 0
  #stage: Stage = 'new'
  #stopped: EndReason = 'stop'
  /** What follows the prompt in the engine's context: the host's tokens and the model's. */
  #transcript: number[] = []
  /** Where in the prompt the conversation begins that was compacted; the prompt's end if none was. */
  #conversationStart = 0
  #compactions = 0
  /** In how many turns the response was when it was last compacted. */
  #turnsCompacted = -1
  /** Whether compacting again would be of no use. */
  #isIncompressible = false
  #sampled = 0
  #turns = 0
  #hostWrites = 0
  /** Where in the transcript the turn began, and where the host last wrote in it. */
  #turnStart = 0
  #hostEnd = 0
  #hasCached = false
  readonly #count = new TurnCount()
  #openedAt = 0
  /** How many items there were when the turn began. */
  #itemsBefore = 0
  readonly #attempts = new Map<string, number>()
  readonly #answered = new Set<string>()
  readonly #refused = new Set<string>()
  #isReminded = false
  /** The positions of the host's own items. */
  readonly #inserted = new Set<number>()

  /**
   * @param create - a translator for the entry. Its clock returns the time of the entry that is being applied. What its
   *   callbacks see of the fold is as it stands then.
   * @param assistant - the ids of `assistant`, with which a turn begins after `<|start|>`
   */
  constructor(create: CreateTranslator, assistant: readonly number[]) {
    this.#create = create
    this.#assistant = assistant
  }

  get stage(): Stage {
    return this.#stage
  }

  /** Why the model stopped. */
  get stopped(): EndReason {
    return this.#stopped
  }

  get open(): OpenEntry {
    if (this.#open === undefined) throw new HarmonyResponsesError('bad_option', 'entries: expected an open entry first')
    return this.#open
  }

  /** How many tokens the model has sampled, and in how many turns. */
  get sampled(): number {
    return this.#sampled
  }

  get turns(): number {
    return this.#turns
  }

  /** How many of its calls have been started. */
  get started(): number {
    return this.#attempts.size
  }

  /** How often a call has been started. */
  attempts(itemId: string): number {
    return this.#attempts.get(itemId) ?? 0
  }

  /**
   * The ids of the first prompt, which no entry holds: {@link OpenEntry.prompt} says how they are found. Events follow
   * without them, and no call of the model. What was compacted has others by now.
   */
  givePrompt(ids: Uint32Array): void {
    if (this.#compactions === 0) this.#prompt = ids
  }

  /** The engine's context: the prompt and all that followed it. @throws HarmonyResponsesError `bad_option` without a prompt */
  get context(): Uint32Array {
    const prompt = this.#prompt
    check(prompt !== undefined, 'entries', 'the ids of the prompt', prompt)
    const context = new Uint32Array(this.contextSize)
    context.set(prompt)
    context.set(this.#transcript, prompt.length)
    return context
  }

  /**
   * What followed the prompt: what a later request gives as history. Of a response that was compacted, the conversation
   * as it was then, and what followed.
   */
  get transcript(): readonly number[] {
    return [...(this.#prompt?.subarray(this.#conversationStart) ?? []), ...this.#transcript]
  }

  /** How often the conversation was compacted. */
  get compactions(): number {
    return this.#compactions
  }

  /** Whether the next turn would take in more than the request allows, and a summary may help. */
  get isToCompact(): boolean {
    const { compactAbove, isOneMessage } = this.open
    if (compactAbove === undefined || this.#isIncompressible || this.#turnsCompacted === this.#turns) return false
    if (isOneMessage && this.#turns === 0) return false
    return this.#nextInput > compactAbove
  }

  /** Whether the conversation is too long all the same, though it was compacted: it will not be again. */
  get isIncompressible(): boolean {
    return this.#isIncompressible
  }

  /** How often the host has written in the model's turn. */
  get hostWrites(): number {
    return this.#hostWrites
  }

  /** What the model and the host wrote in the turn, after its `<|start|>assistant`. */
  get turnTokens(): readonly number[] {
    return this.#transcript.slice(this.#turnStart)
  }

  /** What the model has sampled since the host last wrote in its turn. */
  get sinceHost(): readonly number[] {
    return this.#transcript.slice(this.#hostEnd)
  }

  /** How many tokens the engine's context has. */
  get contextSize(): number {
    return this.#promptSize + this.#transcript.length
  }

  /** How many of them the turn's first call was given. */
  get turnInput(): number {
    return this.#promptSize + this.#turnStart
  }

  /** How many tokens the next turn takes in: with the `<|start|>assistant` that it begins with. */
  get #nextInput(): number {
    return this.contextSize + 1 + this.#assistant.length
  }

  /** Whether it is known how much of the turn's prompt was in the engine's cache. */
  get hasCached(): boolean {
    return this.#hasCached
  }

  /** When the response began, in Unix time. */
  get openedAt(): number {
    return this.#openedAt
  }

  /** Whether a message has just ended. */
  get isBetweenMessages(): boolean {
    return TERMINATORS.includes(this.#transcript.at(-1) as number)
  }

  /** The response as it stands; undefined before its first entry. */
  get response(): ResponseObject | undefined {
    return this.#translator?.response
  }

  /** Where the parser stands that reads what the model writes. */
  get parserState(): ParserSnapshot {
    check(this.#translator !== undefined, 'entries', 'an open entry first', undefined)
    return this.#translator.snapshot().parser
  }

  get output(): readonly OutputItem[] {
    return this.#translator?.output ?? []
  }

  /** Those that the host did not put in. It decides what comes next: an item of the host's looks like a call at most. */
  get modelOutput(): readonly OutputItem[] {
    return this.#modelOutputFrom(0)
  }

  /** The model's items of its last turn, or those from before its first. */
  get turnOutput(): readonly OutputItem[] {
    return this.#modelOutputFrom(this.#itemsBefore)
  }

  /** Whether the turn began with a reminder of what the request demands. */
  get isReminded(): boolean {
    return this.#isReminded
  }

  /** Whether the model was told that a call of its was refused. */
  isRefused(itemId: string): boolean {
    return this.#refused.has(itemId)
  }

  /** Whether a call has its result. */
  isAnswered(itemId: string): boolean {
    return this.#answered.has(itemId)
  }

  /**
   * Applies an entry.
   *
   * @param at - when it happened, in Unix time: whole seconds
   * @returns the events that follow from it
   * @throws HarmonyResponsesError `bad_option` if it cannot follow the entries before it, or is of another behaviour
   */
  apply(entry: EntryBody, at: number): ResponseStreamEvent[] {
    this.#at = at
    if (entry.type === 'open') return this.#start(entry)
    const translator = this.#translator
    check(translator !== undefined, 'entries', 'an open entry first', entry.type)
    switch (entry.type) {
      case 'turn':
        return this.#beginTurn(translator, entry.reminder)
      case 'host':
        if (entry.tokens[0] === SPECIAL.start) {
          // Completes the message whose end the engine swallowed.
          if (!this.isBetweenMessages) translator.beginTurn()
          reopenTurn(this.#transcript, this.#assistant)
        }
        this.#transcript.push(...entry.tokens)
        this.#hostWrites += 1
        this.#hostEnd = this.#transcript.length
        this.#stage = STOP_TOKENS.includes(entry.tokens.at(-1) as number) ? 'stopped' : 'sampling'
        return translator.push({ host: entry.tokens })
      case 'chunk': {
        let id = -1
        for (const token of entry.tokens) {
          id = typeof token === 'number' ? token : token.id
          this.#transcript.push(id)
        }
        const unread = entry.usage === undefined ? 0 : this.#readUsage(translator, entry.usage)
        this.#sampled += entry.tokens.length + unread
        this.#count.read(translator, entry.tokens.length, unread)
        // Nothing may be sampled after it, even if the process died before the engine said that it had stopped.
        if (STOP_TOKENS.includes(id)) this.#stage = 'stopped'
        return translator.push(entry.tokens)
      }
      case 'item':
        return this.#insert(translator, entry)
      case 'compaction':
        return this.#compact(translator, entry)
      case 'usage':
        this.#addUsage(translator, entry.usage)
        return []
      case 'stop':
        if (entry.usage !== undefined) this.#addUsage(translator, entry.usage)
        this.#stopped = entry.reason
        this.#stage = 'stopped'
        return []
      case 'tool_started':
        this.#attempts.set(entry.itemId, entry.attempt)
        return []
      case 'tool_result': {
        const { itemId, result, transcript } = entry
        this.#answered.add(itemId)
        if (result === undefined) this.#refused.add(itemId)
        this.#transcript.push(...transcript)
        if (result === undefined) return []
        return translator.toolResult({ ...result, itemId, transcript } as ToolResult)
      }
      case 'end':
        this.#stage = 'closed'
        return translator.end(entry.reason)
      case 'fail':
        this.#stage = 'closed'
        return translator.fail(entry.failure)
      case 'abort':
        this.#stage = 'closed'
        return translator.abort()
    }
  }

  /** Frees what the translator holds. */
  dispose(): void {
    this.#translator?.dispose()
  }

  #start(entry: OpenEntry): ResponseStreamEvent[] {
    check(this.#translator === undefined, 'entries', 'one open entry', 'a second one')
    check(entry.behaviour === BEHAVIOUR, 'entries', `entries of behaviour ${BEHAVIOUR}`, entry.behaviour)
    this.#open = entry
    this.#promptSize = entry.prompt.tokens
    this.#conversationStart = entry.prompt.tokens
    this.#openedAt = this.#at
    this.#translator = this.#create(entry, () => this.#at, this)
    this.#stage = 'idle'
    return this.#translator.start()
  }

  #beginTurn(translator: Translator, reminder: readonly number[] = []): ResponseStreamEvent[] {
    this.#isReminded = reminder.length > 0
    this.#transcript.push(...reminder)
    const events = reminder.length > 0 ? translator.push({ host: reminder }) : []
    this.#transcript.push(SPECIAL.start, ...this.#assistant)
    this.#turns += 1
    this.#hostWrites = 0
    this.#turnStart = this.#transcript.length
    this.#hostEnd = this.#turnStart
    this.#hasCached = false
    this.#count.begin()
    this.#stage = 'sampling'
    this.#stopped = 'stop'
    this.#itemsBefore = translator.output.length
    translator.beginTurn({ inputTokens: this.contextSize })
    return events
  }

  #insert(translator: Translator, { item, usage }: ItemEntry): ResponseStreamEvent[] {
    if (usage !== undefined) translator.addUsage(usage)
    const events = translator.insert(hostItem(item))
    // The first item of a response brings the listings with it, in front of it.
    const added = events.findLast((event) => event.type === 'response.output_item.added')
    if (added !== undefined) this.#inserted.add(added.output_index)
    return events
  }

  #compact(translator: Translator, { usage, compacted }: CompactionEntry): ResponseStreamEvent[] {
    if (usage !== undefined) countCall(translator, usage)
    this.#turnsCompacted = this.#turns
    if (compacted === undefined) {
      this.#isIncompressible = true
      return []
    }
    const { item, prompt, start } = compacted
    this.#compactions += 1
    this.#replacePrompt(prompt, start)
    // Nothing is left of the turn before that the host could have to complete.
    this.#stage = 'idle'
    this.#isIncompressible = this.#nextInput > (this.open.compactAbove ?? Number.POSITIVE_INFINITY)
    return this.#insert(translator, { type: 'item', item })
  }

  #replacePrompt(prompt: readonly number[], conversationStart: number): void {
    this.#prompt = Uint32Array.from(prompt)
    this.#promptSize = prompt.length
    this.#conversationStart = conversationStart
    this.#transcript = []
    this.#turnStart = 0
    this.#hostEnd = 0
  }

  #modelOutputFrom(start: number): readonly OutputItem[] {
    return this.output.filter((_, index) => index >= start && !this.#inserted.has(index))
  }

  /** @returns how many tokens besides those of the entry the model sampled */
  #readUsage(translator: Translator, { unreadTokens = 0, ...counts }: CallUsage): number {
    this.#addUsage(translator, counts)
    return unreadTokens
  }

  #addUsage(translator: Translator, usage: CallUsage): void {
    this.#hasCached ||= usage.cachedTokens !== undefined
    this.#count.add(translator, usage)
  }
}

/** Counts a call of the model of which no item shows the tokens. Its counts are not those of the turn before it. */
export function countCall(translator: Translator, { inputTokens, cachedTokens, outputTokens }: HostUsage): void {
  translator.beginTurn({
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
  })
  if (outputTokens !== undefined) translator.addUsage({ outputTokens })
}
