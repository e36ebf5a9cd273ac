import type { ParserSnapshot } from '../../core/harmony/parser.js'
import { MESSAGE_ENDS, STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
import { SPECIAL } from '../../core/harmony/vocabulary.js'
import { hostItem } from '../../core/items/host/host-item.js'
import type { ToolResult } from '../../core/items/parts/tool-result.js'
import { citableFiles } from '../../core/recipients/builtins/file-search.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseStreamEvent } from '../../core/responses/events.js'
import type { OutputItem } from '../../core/responses/items.js'
import type { ResponseObject } from '../../core/responses/response.js'
import type { EndReason, HostUsage } from '../../core/tokens/token-source.js'
import type { Translator } from '../../core/translate/translator.js'
import { check, HarmonyResponsesError } from '../../shared/errors.js'
import {
  BEHAVIOR_VERSION,
  type CallUsage,
  type CompactionEntry,
  type EntryBody,
  type ItemEntry,
  type OpenEntry,
} from './entry.js'
import { TurnCount } from './turn-count.js'

/** The stage of a response, which determines what may come next. */
export type Stage =
  /** There is no `open` entry yet. */
  | 'new'
  /** It waits for its turn. */
  | 'queued'
  /** No model call is running: calls may wait for results, or the model for its turn. */
  | 'idle'
  /** The model is sampling. */
  | 'sampling'
  /** The model has stopped. */
  | 'stopped'
  | 'closed'

/** Creates the translator of a response. */
export type CreateTranslator = (open: OpenEntry, clock: () => number, fold: ResponseFold) => Translator

/**
 * A response folded from its entries: the events of each, and the state so far. The same entries yield the same events
 * in any process with the same {@link BEHAVIOR_VERSION}.
 */
export class ResponseFold {
  readonly #create: CreateTranslator
  readonly #assistant: readonly number[]
  #translator: Translator | undefined
  #open: OpenEntry | undefined
  /**
   * In the form that the engine receives at every call: copying a list of numbers takes ten times as long. Undefined
   * until known.
   */
  #prompt: Uint32Array | undefined
  #promptSize = 0
  #at = 0
  #stage: Stage = 'new'
  #stopped: EndReason = 'stop'
  /** The tokens after the prompt in the engine's context: the host's and the model's. */
  #transcript: number[] = []
  /** The spans in it of results that are the request's: see `ToolResultEntry`. */
  #followers: { readonly start: number; readonly end: number }[] = []
  /** The index in the prompt at which the compacted conversation begins; the prompt's end without a compaction. */
  #conversationStart = 0
  #compactions = 0
  /** The turn count of the response at its last compaction. */
  #turnsCompacted = -1
  /** Whether compacting again would be useless. */
  #isIncompressible = false
  #sampled = 0
  #turns = 0
  #hostWrites = 0
  /** The indexes in the transcript where the turn began, and where the host last wrote in it. */
  #turnStart = 0
  #hostEnd = 0
  #hasCached = false
  readonly #count = new TurnCount()
  #openedAt = 0
  /** The number of items at the start of the turn. */
  #itemsBefore = 0
  readonly #attempts = new Map<string, number>()
  readonly #answered = new Set<string>()
  readonly #refused = new Set<string>()
  #files: CitableFiles | undefined
  #isReminded = false
  /** The positions of the host's own items. */
  readonly #inserted = new Set<number>()

  /**
   * @param create - creates a translator for the entry. Its clock returns the time of the entry being applied. Its
   * callbacks see the fold in its state at that time.
   * @param assistant - the ids of `assistant`, which follow `<|start|>` at the beginning of a turn
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

  /** Whether the engine of the response has a server that renders the prompt itself, and counts in its own tokens. */
  get takesMessages(): boolean {
    return this.#open?.capabilities?.takes === 'messages'
  }

  /** How many tokens the model has sampled, and in how many turns. */
  get sampled(): number {
    return this.#sampled
  }

  get turns(): number {
    return this.#turns
  }

  /** How many of its calls were started. */
  get started(): number {
    return this.#attempts.size
  }

  /** How often a call was started. */
  attempts(itemId: string): number {
    return this.#attempts.get(itemId) ?? 0
  }

  /**
   * Provides the ids of the first prompt, which no entry holds: {@link OpenEntry.prompt} describes how to find them.
   * Events need none, but every model call does. After a compaction there are others.
   */
  givePrompt(ids: Uint32Array): void {
    if (this.#compactions === 0) this.#prompt = ids
  }

  /**
   * The engine's context: the prompt and all tokens after it. @throws HarmonyResponsesError `bad_option` without a
   * prompt
   */
  get context(): Uint32Array {
    const prompt = this.#prompt
    check(prompt !== undefined, 'entries', 'the ids of the prompt', prompt)
    const context = new Uint32Array(this.contextSize)
    context.set(prompt)
    context.set(this.#transcript, prompt.length)
    return context
  }

  /**
   * The tokens after the prompt, which a later request passes as history, without the request's own results. After a
   * compaction, the compacted conversation and the tokens after it.
   */
  get transcript(): readonly number[] {
    const conversation = this.#prompt?.subarray(this.#conversationStart) ?? []
    let from = 0
    const own = this.#followers.flatMap(({ start, end }) => {
      const part = this.#transcript.slice(from, start)
      from = end
      return part
    })
    return [...conversation, ...own, ...this.#transcript.slice(from)]
  }

  /** How often the conversation was compacted. */
  get compactions(): number {
    return this.#compactions
  }

  /** Whether the input of the next turn would exceed the request's limit, and a summary may help. */
  get isToCompact(): boolean {
    const { compactAbove, isOneMessage } = this.open
    if (compactAbove === undefined || this.#isIncompressible || this.#turnsCompacted === this.#turns) return false
    if (isOneMessage && this.#turns === 0) return false
    return this.#nextInput > compactAbove
  }

  /** Whether the conversation is too long although it was compacted: it will not be compacted again. */
  get isIncompressible(): boolean {
    return this.#isIncompressible
  }

  /** How often the host has written in the model's turn. */
  get hostWrites(): number {
    return this.#hostWrites
  }

  /** The tokens of the turn, the model's and the host's, after its `<|start|>assistant`. */
  get turnTokens(): readonly number[] {
    return this.#transcript.slice(this.#turnStart)
  }

  /** The tokens that the model has sampled since the host last wrote in its turn. */
  get sinceHost(): readonly number[] {
    return this.#transcript.slice(this.#hostEnd)
  }

  /** The size of the engine's context in tokens. */
  get contextSize(): number {
    return this.#promptSize + this.#transcript.length
  }

  /** The number of input tokens of the turn's first call. */
  get turnInput(): number {
    return this.#promptSize + this.#turnStart
  }

  /** The number of input tokens of the next turn, including the `<|start|>assistant` that begins it. */
  get #nextInput(): number {
    return this.contextSize + 1 + this.#assistant.length
  }

  /** Whether the number of cached tokens in the turn's prompt is known. */
  get hasCached(): boolean {
    return this.#hasCached
  }

  /** When the response began, in Unix time. Waiting for its turn does not count. */
  get openedAt(): number {
    return this.#openedAt
  }

  /** Whether a message has just ended. */
  get isBetweenMessages(): boolean {
    return MESSAGE_ENDS.includes(this.#transcript.at(-1) as number)
  }

  /** The current response; undefined before its first entry. */
  get response(): ResponseObject | undefined {
    return this.#translator?.response
  }

  /** The state of the parser that reads the model's tokens. */
  get parserState(): ParserSnapshot {
    check(this.#translator !== undefined, 'entries', 'an open entry first', undefined)
    return this.#translator.snapshot().parser
  }

  /** The items so far. Not to be changed. */
  get output(): readonly OutputItem[] {
    return this.#translator?.outputView ?? []
  }

  /** The number of the items so far, which makes none of them. */
  get outputLength(): number {
    return this.#translator?.outputLength ?? 0
  }

  /** The items that the host did not insert. They determine the next step; an inserted item only looks like a call. */
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

  /** Whether the model was told that its call was refused. */
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
   * @param at - the time of the entry, in Unix time: whole seconds
   * @returns the events that follow from it
   * @throws HarmonyResponsesError `bad_option` if it cannot follow the entries before it, or is of another behaviour
   */
  apply(entry: EntryBody, at: number): ResponseStreamEvent[] {
    this.#at = at
    if (entry.type === 'open') return this.#start(entry)
    const translator = this.#translator
    check(translator !== undefined, 'entries', 'an open entry first', entry.type)
    switch (entry.type) {
      case 'begin':
        check(this.#stage === 'queued', 'entries', 'a queued response', entry.type)
        return this.#begin(translator)
      case 'turn':
        return this.#beginTurn(translator, entry.reminder)
      case 'host':
        if (entry.tokens[0] === SPECIAL.start) {
          // Completes the message whose end the engine swallowed.
          if (!this.isBetweenMessages) translator.beginTurn()
          reopenTurn(this.#transcript, this.#assistant)
        }
        this.#write(entry.tokens)
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
        // Nothing may be sampled after it, even if the process died before the engine reported the stop.
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
        return translator.endTurn(entry.reason)
      case 'tool_started':
        this.#attempts.set(entry.itemId, entry.attempt)
        return []
      case 'tool_result': {
        const { itemId, result, transcript, followers = [] } = entry
        this.#answered.add(itemId)
        if (result === undefined) this.#refused.add(itemId)
        this.#write(transcript)
        if (followers.length > 0) {
          const start = this.#transcript.length
          this.#write(followers)
          this.#followers.push({ start, end: this.#transcript.length })
        }
        if (result === undefined) return []
        if (result.files !== undefined) this.#files = { ...this.#files, ...citableFiles(result.files, itemId) }
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
      case 'cancel':
        this.#stage = 'closed'
        return translator.cancel()
    }
  }

  /** The files that its searches found; undefined without any. */
  get files(): CitableFiles | undefined {
    return this.#files
  }

  /** Frees the translator's resources. */
  dispose(): void {
    this.#translator?.dispose()
  }

  #start(entry: OpenEntry): ResponseStreamEvent[] {
    check(this.#translator === undefined, 'entries', 'one open entry', 'a second one')
    check(entry.behaviour === BEHAVIOR_VERSION, 'entries', `entries of behaviour ${BEHAVIOR_VERSION}`, entry.behaviour)
    this.#open = entry
    this.#promptSize = entry.prompt.tokens
    this.#conversationStart = entry.prompt.tokens
    this.#translator = this.#create(entry, () => this.#at, this)
    if (entry.isQueued !== true) return this.#begin(this.#translator)
    this.#stage = 'queued'
    return this.#translator.queue()
  }

  #begin(translator: Translator): ResponseStreamEvent[] {
    this.#openedAt = this.#at
    this.#stage = 'idle'
    return translator.start()
  }

  #beginTurn(translator: Translator, reminder: readonly number[] = []): ResponseStreamEvent[] {
    this.#isReminded = reminder.length > 0
    this.#write(reminder)
    const events = reminder.length > 0 ? translator.push({ host: reminder }) : []
    this.#write([SPECIAL.start, ...this.#assistant])
    this.#turns += 1
    this.#hostWrites = 0
    this.#turnStart = this.#transcript.length
    this.#hostEnd = this.#turnStart
    this.#hasCached = false
    this.#count.begin()
    this.#stage = 'sampling'
    this.#stopped = 'stop'
    this.#itemsBefore = translator.outputLength
    // The server's own count comes with the end of the call.
    translator.beginTurn(this.takesMessages ? {} : { inputTokens: this.contextSize })
    return events
  }

  #write(tokens: readonly number[]): void {
    for (const id of tokens) this.#transcript.push(id)
  }

  #insert(translator: Translator, { item, usage }: ItemEntry): ResponseStreamEvent[] {
    if (usage !== undefined) translator.addUsage(usage)
    const events = translator.insert(hostItem(item))
    // The first item of a response emits the listings too, before itself.
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
    // Nothing is left of the earlier turn that the host might have to complete.
    this.#stage = 'idle'
    this.#isIncompressible = this.#nextInput > (this.open.compactAbove ?? Number.POSITIVE_INFINITY)
    return this.#insert(translator, { type: 'item', item })
  }

  #replacePrompt(prompt: readonly number[], conversationStart: number): void {
    this.#prompt = Uint32Array.from(prompt)
    this.#promptSize = prompt.length
    this.#conversationStart = conversationStart
    this.#transcript = []
    this.#followers = []
    this.#turnStart = 0
    this.#hostEnd = 0
  }

  #modelOutputFrom(start: number): readonly OutputItem[] {
    return this.output.filter((_, index) => index >= start && !this.#inserted.has(index))
  }

  /** @returns how many tokens the model sampled beyond those of the entry */
  #readUsage(translator: Translator, { unreadTokens = 0, ...counts }: CallUsage): number {
    this.#addUsage(translator, counts)
    return unreadTokens
  }

  #addUsage(translator: Translator, usage: CallUsage): void {
    this.#hasCached ||= usage.cachedTokens !== undefined
    if (this.takesMessages) this.#sampled += usage.unreadTokens ?? 0
    this.#count.add(translator, usage)
  }
}

/** Counts a model call whose tokens no item shows. Its counts are not those of the previous turn. */
export function countCall(translator: Translator, { inputTokens, cachedTokens, outputTokens }: HostUsage): void {
  translator.beginTurn({
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
  })
  if (outputTokens !== undefined) translator.addUsage({ outputTokens })
}

/**
 * Reopens a turn that the model has ended, so that the host can write another message in it. The model then reads the
 * form that it was trained on: `<|end|>` in place of the end of its turn, or of one that the engine swallowed, and no
 * message with only a role.
 *
 * @param transcript - changed in place
 * @param assistant - the ids of `assistant`
 */
export function reopenTurn(transcript: number[], assistant: readonly number[]): void {
  if (STOP_TOKENS.includes(transcript.at(-1) as number)) transcript.pop()
  if (transcript.at(-1) === SPECIAL.end) return
  const start = transcript.lastIndexOf(SPECIAL.start)
  const isRole = transcript.slice(start + 1, start + 2 + assistant.length).every((id, at) => id === assistant[at])
  if (start !== -1 && isRole) transcript.length = start
  else transcript.push(SPECIAL.end)
}
