import { STOP_TOKENS } from '../engine/stop-tokens.js'
import { check, HarmonyResponsesError } from '../errors.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import type { ResponseObject } from '../responses/response.js'
import type { EndReason, HostUsage } from '../tokens/token-source.js'
import { hostItem } from '../translate/host-item.js'
import type { ToolResult } from '../translate/tool-result.js'
import type { Translator } from '../translate/translator.js'
import { BEHAVIOUR, type Happened, type ItemEntry, type OpenEntry } from './entry.js'

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
  /** As the engine gets it, at every call: copying a list of numbers takes ten times as long. */
  #prompt: Uint32Array = new Uint32Array()
  #at = 0
  #stage: Stage = 'new'
  #stopped: EndReason = 'stop'
  /** What follows the prompt in the engine's context: the host's tokens and the model's. */
  readonly #transcript: number[] = []
  #sampled = 0
  #turns = 0
  #hostWrites = 0
  /** Where in the transcript the turn began, and where the host last wrote in it. */
  #turnStart = 0
  #hostEnd = 0
  #hasUsage = false
  #openedAt = 0
  /** How many items there were when the turn began. */
  #itemsBefore = 0
  readonly #attempts = new Map<string, number>()
  readonly #answered = new Set<string>()
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

  /** The engine's context: the prompt and all that followed it. */
  get context(): Uint32Array {
    const context = new Uint32Array(this.contextSize)
    context.set(this.#prompt)
    context.set(this.#transcript, this.#prompt.length)
    return context
  }

  /** What followed the prompt: what a later request gives as history. */
  get transcript(): readonly number[] {
    return [...this.#transcript]
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
    return this.open.prompt.length + this.#transcript.length
  }

  /** How many of them the turn's first call was given. */
  get turnInput(): number {
    return this.open.prompt.length + this.#turnStart
  }

  /** Whether the counts are known that only the engine knows of the turn. */
  get hasUsage(): boolean {
    return this.#hasUsage
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
  apply(entry: Happened, at: number): ResponseStreamEvent[] {
    this.#at = at
    if (entry.type === 'open') return this.#start(entry)
    const translator = this.#translator
    check(translator !== undefined, 'entries', 'an open entry first', entry.type)
    switch (entry.type) {
      case 'turn':
        return this.#beginTurn(translator)
      case 'host':
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
        this.#sampled += entry.tokens.length
        // Nothing may be sampled after it, even if the process died before the engine said that it had stopped.
        if (STOP_TOKENS.includes(id)) this.#stage = 'stopped'
        return translator.push(entry.tokens)
      }
      case 'item':
        return this.#insert(translator, entry)
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
    this.#prompt = Uint32Array.from(entry.prompt)
    this.#openedAt = this.#at
    this.#translator = this.#create(entry, () => this.#at, this)
    this.#stage = 'idle'
    return this.#translator.start()
  }

  #beginTurn(translator: Translator): ResponseStreamEvent[] {
    this.#transcript.push(SPECIAL.start, ...this.#assistant)
    this.#turns += 1
    this.#hostWrites = 0
    this.#turnStart = this.#transcript.length
    this.#hostEnd = this.#turnStart
    this.#hasUsage = false
    this.#stage = 'sampling'
    this.#stopped = 'stop'
    this.#itemsBefore = translator.output.length
    translator.beginTurn({ inputTokens: this.open.prompt.length + this.#transcript.length })
    return []
  }

  #insert(translator: Translator, { item, usage }: ItemEntry): ResponseStreamEvent[] {
    if (usage !== undefined) translator.addUsage(usage)
    const events = translator.insert(hostItem(item))
    // The first item of a response brings the listings with it, in front of it.
    const added = events.findLast((event) => event.type === 'response.output_item.added')
    if (added !== undefined) this.#inserted.add(added.output_index)
    return events
  }

  #modelOutputFrom(start: number): readonly OutputItem[] {
    return this.output.filter((_, index) => index >= start && !this.#inserted.has(index))
  }

  #addUsage(translator: Translator, usage: HostUsage): void {
    this.#hasUsage = true
    translator.addUsage(usage)
  }
}
