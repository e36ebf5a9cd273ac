import { type Fields, isFields } from '../../fields.js'
import { itemTypeOfEvent as ownerOfType } from '../event-kind.js'
import { asFields, asList, asString, type StreamEvent } from '../stream-event.js'
import type { AgreedItem, AgreedPart } from './agreed-item.js'
import type { Ending } from './client.js'
import { ItemFinder } from './item-finder.js'
import { TextHash } from './text-hash.js'
import { type EventRef, type Vote, Votes } from './votes.js'

export { citationSources } from './agreed-item.js'

/** A part of a message or of reasoning, with its text. */
export interface AgreedPassage {
  readonly item: AgreedItem
  readonly part: AgreedPart
  readonly text: TextHash
  readonly isRefusal: boolean
  readonly isSummary: boolean
}

/** A call for the application to run. */
export interface AgreedCall {
  readonly item: AgreedItem
  readonly type: string
  readonly name: string
  /** The namespace of its tool, if it has one. */
  readonly namespace: string | undefined
  readonly arguments: TextHash
  /** The model was cut off within it, so it must not be run. */
  readonly isCut: boolean
}

/** An event that is no part of the response that was meant. */
export interface Surplus {
  /** It came after the terminal event, has another response's id, or repeats an item that is done. */
  readonly why: 'late' | 'foreign' | 'repeated'
  readonly at: EventRef
  /** The name of the call that it is about. */
  readonly name?: string
}

/** How a response ended follows from the event's type, from the status, and from error and incomplete_details. */
type EndingVotes = Votes<Exclude<Ending, 'threw' | 'open'>>

/**
 * What a stream says as a whole, regardless of the client. Each fact occurs in several places (deltas, `.done` events,
 * the done item, the terminal response), and the majority wins; a missing place is no vote. Work per event is constant,
 * and it keeps hashes instead of texts. Read it after `end()`.
 *
 * - An event is about the item that its item_id and output_index name. If they name two items, it is about the open one
 *   of the right type; if they name none, about the last open one.
 * - In a tie, the last place wins; for names, the one that the request's tools declare.
 * - The terminal event closes the response: what follows, or has the id of another response, counts for nothing.
 * - An item or part exists if more than one event mentions it, or if it is in a list of all items or parts.
 */
export class Agreement {
  readonly #finder = new ItemFinder()
  readonly #ending: EndingVotes = new Votes((ending) => ending)
  readonly #message: Votes<string> = new Votes((message) => message)
  readonly #tools = new Set<string>()
  readonly #moments = new Map<string, Moment>()
  #hasError = false
  /** Whether a terminal response lists items. An empty list may just omit them. */
  #isListed = false
  #position = 0
  /** The id of the response that was meant: the first that an event gives. */
  #id: string | undefined
  /** Its terminal event came. */
  #isClosed = false
  /** A terminal event with another response's id. It counts only if no other comes: its id may be what is wrong. */
  #pending: { readonly event: StreamEvent; readonly at: EventRef } | undefined
  /** Events of another response came. */
  #hasForeign = false
  /** The response was completed before it had any item. */
  #isUnfounded = false
  readonly #foreignItems = new Set<unknown>()
  readonly #surplus: Surplus[] = []
  /** The text deltas of all items, in the order of the stream. */
  readonly streamedText: Readonly<Record<'text' | 'refusals' | 'both', TextHash>> = {
    text: new TextHash(),
    refusals: new TextHash(),
    both: new TextHash(),
  }
  /** The reasoning deltas of all items, in the order of the stream. */
  readonly streamedReasoning: Readonly<Record<'raw' | 'summary' | 'both', TextHash>> = {
    raw: new TextHash(),
    summary: new TextHash(),
    both: new TextHash(),
  }

  /** @param position - the number of the event, from 0; default: one more than the previous one */
  take(event: StreamEvent, position: number = this.#position): void {
    this.#position = position + 1
    const type = asString(event.type)
    const at = { position, type }
    if (this.#isClosed && !this.#isEarly(event)) {
      // At the end of a stream, such events are no news: `[DONE]`, pings of servers that keep a connection open.
      if (type.startsWith('response.')) this.#addSurplus({ why: 'late', at, ...namesIn(event) })
      return
    }
    if (type === 'response.output_item.added') this.#added(event, at)
    else if (type === 'response.output_item.done') this.#done(event, at)
    else if (type === 'error') this.#error(event, at)
    else if (/^response\.(created|queued|in_progress)$/.test(type)) this.#begun(event, at)
    else if (ENDING.test(type) || isFields(event['response'])) this.#ended(event, at)
    else if (type !== '') this.#inner(event, at)
  }

  /** Ends the stream. Open items keep what was streamed so far. */
  end(): void {
    if (!this.#isClosed && this.#pending !== undefined) this.#terminal(this.#pending.event, this.#pending.at)
    for (const item of this.#finder.items) item.end()
  }

  /**
   * Events that are no part of the response that was meant: they came after its terminal event, have the id of another
   * response, or repeat an item that was done. Only the first few.
   */
  get surplus(): readonly Surplus[] {
    return this.#surplus
  }

  /** How the response ended; undefined if the stream does not say. */
  get ending(): Ending | undefined {
    return this.#ending.winner ?? (this.#hasError ? 'failed' : undefined)
  }

  /** The events that contradict `ending`. */
  get endingDissent(): readonly Vote<Ending>[] {
    return this.#ending.against(this.#ending.elected())
  }

  /** The error message of a failed response, in at most 1000 UTF-16 code units. */
  get errorMessage(): string | undefined {
    return this.#errorElected?.value
  }

  /** Error messages in fewer places than `errorMessage`. In a tie, neither message is known to be wrong. */
  get errorDissent(): readonly Vote<string>[] {
    const elected = this.#errorElected
    const most = elected?.places.length ?? 0
    return this.#message.against(elected).filter(({ places }) => places.length < most)
  }

  /** Prefers a message that is not empty. */
  get #errorElected(): Vote<string> | undefined {
    return this.#message.elected((message) => message !== '')
  }

  /** The items that exist, in the order of the response. */
  get items(): readonly AgreedItem[] {
    return inOrder(this.#finder.items.filter((item) => this.#exists(item)))
  }

  get messages(): readonly AgreedPassage[] {
    return this.items.filter(({ kind }) => kind === 'message').flatMap((item) => passages(item, item.content.all))
  }

  get reasoning(): readonly AgreedPassage[] {
    return this.items
      .filter(({ kind }) => kind === 'reasoning')
      .flatMap((item) => [...passages(item, item.content.all), ...passages(item, item.summary.all, true)])
  }

  get calls(): readonly AgreedCall[] {
    return this.items
      .filter(({ isCall }) => isCall)
      .map((item) => ({
        item,
        type: item.kind as string,
        name: item.name.elected((name) => this.#tools.has(name))?.value ?? '',
        namespace: item.namespace.winner,
        arguments: item.arguments.text,
        isCut: this.#isCut(item),
      }))
  }

  #added(event: StreamEvent, at: EventRef): void {
    const fields = event['item']
    if (!isFields(fields)) return
    const { id, type } = fields
    const item = this.#finder.added(id, event['output_index'], type)
    if (item.isRepeated) this.#addSurplus({ why: 'repeated', at, ...namesIn(event) })
    else item.add(fields, 'added', at)
  }

  #done(event: StreamEvent, at: EventRef): void {
    const fields = event['item']
    if (!isFields(fields)) return
    const { id, type } = fields
    const item = this.#finder.about(id, event['output_index'], typeof type === 'string' ? type : undefined)
    if (item.places.has('done')) this.#addSurplus({ why: 'repeated', at, ...namesIn(event) })
    if (!item.isRepeated) item.add(fields, 'done', at)
  }

  #error(event: StreamEvent, at: EventRef): void {
    this.#hasError = true
    this.#ending.add('failed', 'textDone', at)
    const { message } = isFields(event['error']) ? event['error'] : event
    this.#addMessage(message, 'textDone', at)
  }

  #begun(event: StreamEvent, at: EventRef): void {
    const id = idOf(event)
    this.#id ??= id
    if (event.type === 'response.created' && id !== this.#id) this.#isForeign(at)
    else this.#request(event)
  }

  #isForeign(at: EventRef): void {
    this.#hasForeign = true
    this.#addSurplus({ why: 'foreign', at })
  }

  #addSurplus(surplus: Surplus): void {
    if (this.#surplus.length < MAX_SURPLUS) this.#surplus.push(surplus)
  }

  /**
   * Whether the terminal event came too soon: it lists no items, as some servers never do, and the event is about one that
   * is still open, or there was none at all.
   */
  #isEarly(event: StreamEvent): boolean {
    if (this.#isListed || this.#ending.winner !== 'completed') return false
    const { items } = this.#finder
    if (items.length === 0) {
      this.#isUnfounded = true
      return true
    }
    if (this.#isUnfounded) return true
    const id = event['item_id'] ?? asFields(event['item'])['id']
    return items.some((item) => item.isOpen && typeof id === 'string' && item.countOfId(id) > 0)
  }

  /** Takes an event that ends a response: the one that was meant, if it has its id. */
  #ended(event: StreamEvent, at: EventRef): void {
    const id = idOf(event)
    if (id !== undefined && this.#id !== undefined && id !== this.#id) {
      this.#dropPending()
      this.#pending = { event, at }
      return
    }
    this.#dropPending()
    this.#terminal(event, at)
  }

  /** The terminal event that waits is not the last one: it is another response's. */
  #dropPending(): void {
    if (this.#pending === undefined) return
    const { event, at } = this.#pending
    this.#pending = undefined
    this.#isForeign(at)
    for (const { id } of asList(asFields(event['response'])['output']).map(asFields)) {
      if (typeof id === 'string' && this.#foreignItems.size < MAX_TOOLS) this.#foreignItems.add(id)
    }
  }

  /** Reads the names of the request's tools, which servers send back. */
  #request(event: StreamEvent): void {
    for (const tool of asList(asFields(event['response'])['tools'])) {
      const { name, tools } = asFields(tool)
      for (const one of [name, ...asList(tools).map((inner) => asFields(inner)['name'])]) {
        if (typeof one === 'string' && this.#tools.size < MAX_TOOLS) this.#tools.add(one)
      }
    }
  }

  #terminal(event: StreamEvent, at: EventRef): void {
    const response = asFields(event['response'])
    const { status, error, incomplete_details, output } = response
    const type = ENDING.exec(at.type)?.[1]
    // An event of another type with a finished response was probably meant as the terminal event.
    if (type === undefined && !isEnding(status)) return
    this.#isClosed = true
    if (isEnding(type)) this.#ending.add(type, 'terminal', at)
    if (isEnding(status)) this.#ending.add(status, 'done', at)
    if (isFields(error)) {
      this.#ending.add('failed', 'part', at)
      this.#addMessage(error['message'], 'part', at)
    } else if (isFields(incomplete_details)) this.#ending.add('incomplete', 'part', at)
    else if (error === null && incomplete_details === null) this.#ending.add('completed', 'part', at)

    const listed = asList(output).filter(isFields)
    if (listed.length > 0) this.#isListed = true
    const found = this.#finder.listed(listed.map(({ id, type }) => ({ id, type })))
    for (const [index, item] of found.entries()) {
      item?.add(listed[index] as Fields, 'terminal', at)
      if (item !== undefined) item.listedAt ??= index
    }
  }

  #addMessage(message: unknown, place: 'textDone' | 'part', at: EventRef): void {
    if (typeof message === 'string') this.#message.add(message.slice(0, LONGEST_MESSAGE), place, at)
  }

  #inner(event: StreamEvent, at: EventRef): void {
    if (!('output_index' in event || 'item_id' in event)) return
    const moment = this.#momentOf(event.type)
    const owner = itemTypeFor(event, moment)
    const item = this.#finder.about(event['item_id'], event['output_index'], owner)
    if (item.isRepeated) return
    item.places.add('deltas')
    if (owner !== undefined) item.type.add(owner, 'deltas', at)
    const { text, part, call, isDelta } = moment
    if (text !== undefined) this.#text(partOf(item, event), text, isDelta, event, at)
    else if (part !== undefined) {
      partOf(item, event).add(asFields(event['part']), part, at)
    } else if (event.type === 'response.output_text.annotation.added') {
      partOf(item, event).addAnnotation(event['annotation'], at)
    } else if (call && isDelta) item.arguments.append(event['delta'], at)
    else if (call) {
      item.addArguments(event['arguments'] ?? event['input'], 'textDone', at)
      if (typeof event['name'] === 'string') item.name.add(event['name'], 'textDone', at)
    }
  }

  /** What a type says, computed once: most events of a stream have the same few types. */
  #momentOf(type: string): Moment {
    const known = this.#moments.get(type)
    if (known !== undefined) return known
    const moment = momentOf(type)
    if (this.#moments.size < MAX_TYPES) this.#moments.set(type, moment)
    return moment
  }

  #text(part: AgreedPart, kind: string, isDelta: boolean, event: StreamEvent, at: EventRef): void {
    part.places.add(isDelta ? 'deltas' : 'textDone')
    const partKind = PART_KINDS[kind]
    if (partKind !== undefined) part.kind.add(partKind, isDelta ? 'deltas' : 'textDone', at)
    if (!isDelta) {
      part.text.add(event['text'] ?? event['refusal'], 'textDone', at)
      return
    }
    const { delta } = event
    part.text.append(delta, at)
    if (typeof delta !== 'string') return
    if (kind === 'output_text' || kind === 'refusal') {
      this.streamedText[kind === 'refusal' ? 'refusals' : 'text'].append(delta)
      this.streamedText.both.append(delta)
    } else {
      this.streamedReasoning[kind === 'reasoning_summary_text' ? 'summary' : 'raw'].append(delta)
      this.streamedReasoning.both.append(delta)
    }
  }

  /** Whether an item exists: more than one event mentions it, or the terminal response lists it. */
  #exists(item: AgreedItem): boolean {
    const { places } = item
    if (places.has('terminal')) return true
    if (this.#hasForeign && (this.#isListed || item.hasIdOf(this.#foreignItems))) return false
    if (places.size > 1) return true
    // Only one event mentions it.
    return !this.#isListed && this.ending !== 'completed'
  }

  /** An item that is still open when the response is cut off is incomplete. */
  #isCut(item: AgreedItem): boolean {
    const status = item.status.elected((one) => (one === 'incomplete') === (this.ending === 'incomplete'))?.value
    if (status !== undefined) return status === 'incomplete'
    return !item.places.has('done') && this.ending !== 'completed'
  }
}

/** The items by where the response lists them, by their output_index, or in the order of the stream. */
function inOrder(items: readonly AgreedItem[]): readonly AgreedItem[] {
  for (const place of [({ listedAt }: AgreedItem) => listedAt, ({ index }: AgreedItem) => index]) {
    const places = items.map(place)
    if (places.includes(undefined) || new Set(places).size < items.length) continue
    return [...items].sort((a, b) => (place(a) as number) - (place(b) as number))
  }
  return items
}

/** The id of an event's response, if it has one. */
function idOf(event: StreamEvent): string | undefined {
  const { id } = asFields(event['response'])
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The name of the call in an event, if it is about one. */
function namesIn({ item }: StreamEvent): { readonly name?: string } {
  const { name } = asFields(item)
  return typeof name === 'string' ? { name } : {}
}

const ENDING = /^response\.(completed|incomplete|failed)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/
const PART = /^response\.(?:content|reasoning_summary|reasoning)_part\.(added|done)$/
const CALL = /^response\.(?:function_call_arguments|custom_tool_call_input)\.(delta|done)$/

/** What the type of an event about an item says. */
interface Moment {
  /** The type of the item, if the type of the event implies it. */
  readonly owner: string | undefined
  /** Of an event with text: which text. */
  readonly text: string | undefined
  /** Of an event with a part: where that places the part. */
  readonly part: 'added' | 'part' | undefined
  /** It has arguments or input of a call. */
  readonly call: boolean
  readonly isDelta: boolean
  /** It is about a part of any content: the part itself says whose. */
  readonly isOfContent: boolean
}

function momentOf(type: string): Moment {
  const part = PART.exec(type)?.[1]
  return {
    owner: ownerOfType(type),
    text: TEXT.exec(type)?.[1],
    part: part === undefined ? undefined : part === 'added' ? 'added' : 'part',
    call: CALL.test(type),
    isDelta: type.endsWith('.delta'),
    isOfContent: type.startsWith('response.content_part.'),
  }
}

/** The type of the item that an event is about, if the event implies it. */
function itemTypeFor({ part }: StreamEvent, { isOfContent, owner }: Moment): string | undefined {
  if (!isOfContent) return owner
  return asFields(part)['type'] === 'reasoning_text' ? 'reasoning' : undefined
}

/** The part type of each text event. */
const PART_KINDS: Readonly<Record<string, string>> = {
  output_text: 'output_text',
  refusal: 'refusal',
  reasoning_text: 'reasoning_text',
  reasoning_summary_text: 'summary_text',
}

/** The limit for remembered event types: a stream may have any. */
const MAX_TYPES = 100

/** The limit for remembered tool names. */
const MAX_TOOLS = 1000

const LONGEST_MESSAGE = 1000

/** How many surplus events to remember, for messages. */
const MAX_SURPLUS = 20

const isEnding = (value: unknown): value is 'completed' | 'incomplete' | 'failed' =>
  value === 'completed' || value === 'incomplete' || value === 'failed'

function partOf(item: AgreedItem, event: StreamEvent): AgreedPart {
  const isSummary = event.type.startsWith('response.reasoning_summary_')
  return isSummary ? item.summary.at(event['summary_index']) : item.content.at(event['content_index'])
}

function passages(item: AgreedItem, parts: readonly AgreedPart[], isSummary = false): AgreedPassage[] {
  return parts.map((part) => ({ item, part, text: part.text.text, isRefusal: part.isRefusal, isSummary }))
}
