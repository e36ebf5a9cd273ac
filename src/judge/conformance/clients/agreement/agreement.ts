import { type Fields, isFields } from '../../../../shared/fields.js'
import { asFields, asList, asString, type StreamEvent } from '../../stream-event.js'
import type { EventRef } from '../votes.js'
import { AgreedEnding, isEnding } from './agreed-ending.js'
import type { AgreedItem, AgreedPart } from './agreed-item.js'
import { type AgreedOutput, outputOf } from './agreed-output.js'
import { type EventMeaning, meaningOf, ownerIn } from './event-meaning.js'
import { type Extraneous, ExtraneousList } from './extraneous.js'
import { ItemFinder } from './item-finder.js'
import { Voices } from './voices.js'

/**
 * The content of a stream as a whole, regardless of the client. Each fact occurs in several places (deltas, `.done`
 * events, the done item, the terminal response), and the majority wins; a missing place is no vote. Work per event is
 * constant, and it keeps hashes instead of texts, except the beginning of a text that is still open. Read it after `end()`.
 *
 * - An event is about the item that its item_id and output_index name. If they name two items, it is about the open one
 *   of the right type; if they name none, about the last open one.
 * - In a tie, the last place wins; for names, the one that the request's tools declare.
 * - The terminal event closes the response: later events, and those with the id of another response, do not count.
 * - An item or part exists if more than one event mentions it, or if it is in a list of all items or parts.
 */
export class Agreement {
  readonly ending: AgreedEnding = new AgreedEnding()
  readonly #finder = new ItemFinder()
  readonly #tools = new Set<string>()
  readonly #extraneous = new ExtraneousList()
  /** Whether a terminal response lists items. An empty list may just omit them. */
  #isListed = false
  #position = 0
  /** The id of the intended response: the first one in the stream. */
  #id: string | undefined
  /** Its terminal event came. */
  #isClosed = false
  /** A terminal event with another response's id. It counts only if no other comes: its id may be the mistake. */
  #pending: { readonly event: StreamEvent; readonly at: EventRef } | undefined
  /** Events of another response came. */
  #hasForeign = false
  /** The response was completed before it had any item. */
  #isUnfounded = false
  readonly #foreignItems = new Set<string>()
  #output: AgreedOutput | undefined
  /** The text deltas of all items, in the order of the stream. */
  readonly streamedText: Voices<'text' | 'refusals'> = new Voices()
  /** The reasoning deltas of all items, in the order of the stream. */
  readonly streamedReasoning: Voices<'raw' | 'summary'> = new Voices()

  /** @param position - the number of the event, from 0; default: one more than the previous one */
  take(event: StreamEvent, position: number = this.#position): void {
    this.#position = position + 1
    this.#output = undefined
    const type = asString(event.type)
    const meaning = meaningOf(type)
    const at = { position, type }
    if (this.#isClosed && !this.#isEarly(event)) {
      // At the end of a stream, other events do not matter: `[DONE]`, pings of servers that keep a connection open.
      if (meaning.isOfResponse) this.#extraneous.add({ why: 'late', at, ...namesIn(event) })
      return
    }
    const { does } = meaning
    if (does === 'add') this.#added(event, at)
    else if (does === 'finish') this.#done(event, at)
    else if (does === 'error') this.ending.takeError(event, at)
    else if (does === 'begin') this.#begun(event, at)
    else if (does === 'end' || isFields(event['response'])) this.#ended(event, at)
    else if (type !== '') this.#inner(event, meaning, at)
  }

  /** Ends the stream. Open items keep their streamed content. */
  end(): void {
    if (!this.#isClosed && this.#pending !== undefined) this.#terminal(this.#pending.event, this.#pending.at)
    for (const item of this.#finder.items) item.end()
    this.#output = undefined
  }

  /** The extraneous parts of the stream; only the first few. */
  get extraneous(): readonly Extraneous[] {
    return this.#extraneous.all
  }

  /** The content of the response's items. */
  get output(): AgreedOutput {
    this.#output ??= outputOf(
      this.#finder.items.filter((item) => this.#exists(item)),
      (name) => this.#tools.has(name),
      (item) => this.#isCut(item),
    )
    return this.#output
  }

  #added(event: StreamEvent, at: EventRef): void {
    const fields = event['item']
    if (!isFields(fields)) return
    const { id, type } = fields
    const item = this.#finder.added(id, event['output_index'], type)
    if (item.isRepeated) this.#extraneous.add({ why: 'repeated', at, ...namesIn(event) })
    else item.add(fields, 'added', at)
  }

  #done(event: StreamEvent, at: EventRef): void {
    const fields = event['item']
    if (!isFields(fields)) return
    const { id, type } = fields
    const item = this.#finder.about(id, event['output_index'], typeof type === 'string' ? type : undefined)
    if (item.places.has('done')) this.#extraneous.add({ why: 'repeated', at, ...namesIn(event) })
    if (!item.isRepeated) item.add(fields, 'done', at)
  }

  #begun(event: StreamEvent, at: EventRef): void {
    const id = idOf(event)
    this.#id ??= id
    if (event.type === 'response.created' && id !== this.#id) this.#isForeign(at)
    else this.#request(event)
  }

  #isForeign(at: EventRef): void {
    this.#hasForeign = true
    this.#extraneous.add({ why: 'foreign', at })
  }

  /**
   * Whether the terminal event came too soon: it lists no items, as some servers never do, and the event is about one that
   * is still open, or there was none at all.
   */
  #isEarly(event: StreamEvent): boolean {
    if (this.#isListed || !this.ending.isCompleted) return false
    const { items } = this.#finder
    if (items.length === 0) {
      this.#isUnfounded = true
      return true
    }
    if (this.#isUnfounded) return true
    const id = event['item_id'] ?? asFields(event['item'])['id']
    return items.some((item) => item.isOpen && typeof id === 'string' && item.countOfId(id) > 0)
  }

  /** Takes an event that ends a response: the intended one, if it has its id. */
  #ended(event: StreamEvent, at: EventRef): void {
    const id = idOf(event)
    this.#dropPending()
    if (id !== undefined && this.#id !== undefined && id !== this.#id) this.#pending = { event, at }
    else this.#terminal(event, at)
  }

  /** The terminal event that waits is not the last one: it is another response's. */
  #dropPending(): void {
    if (this.#pending === undefined) return
    const { event, at } = this.#pending
    this.#pending = undefined
    this.#isForeign(at)
    for (const { id } of asList(asFields(event['response'])['output']).map(asFields)) {
      if (typeof id === 'string' && this.#foreignItems.size < MAX_NAMES) this.#foreignItems.add(id)
    }
  }

  /** Reads the names of the request's tools, which servers send back. */
  #request(event: StreamEvent): void {
    for (const tool of asList(asFields(event['response'])['tools'])) {
      const { name, tools } = asFields(tool)
      this.#declared(name)
      for (const inner of asList(tools)) this.#declared(asFields(inner)['name'])
    }
  }

  #declared(name: unknown): void {
    if (typeof name === 'string' && this.#tools.size < MAX_NAMES) this.#tools.add(name)
  }

  #terminal(event: StreamEvent, at: EventRef): void {
    const response = asFields(event['response'])
    const { ending } = meaningOf(at.type)
    // An event of another type with a finished response was probably meant as the terminal event.
    if (ending === undefined && !isEnding(response['status'])) return
    this.#isClosed = true
    this.ending.takeTerminal(response, ending, at)
    const listed = asList(response['output']).filter(isFields)
    if (listed.length > 0) this.#isListed = true
    const found = this.#finder.listed(listed.map(({ id, type }) => ({ id, type })))
    for (const [index, item] of found.entries()) {
      item?.add(listed[index] as Fields, 'terminal', at)
      if (item !== undefined) item.listedAt ??= index
    }
  }

  #inner(event: StreamEvent, meaning: EventMeaning, at: EventRef): void {
    if (!('output_index' in event || 'item_id' in event)) return
    const owner = ownerIn(event, meaning)
    const item = this.#finder.about(event['item_id'], event['output_index'], owner)
    if (item.isRepeated) return
    item.places.add('deltas')
    if (owner !== undefined) item.type.add(owner, 'deltas', at)
    const { text, part, isOfCall, isDelta, isAnnotation } = meaning
    if (text !== undefined) this.#text(partOf(item, event, meaning), event, meaning, at)
    else if (part !== undefined) partOf(item, event, meaning).add(asFields(event['part']), part, at)
    else if (isAnnotation) partOf(item, event, meaning).addAnnotation(event['annotation'], at)
    else if (isOfCall && isDelta) item.arguments.append(event['delta'], at)
    else if (isOfCall) {
      item.addArguments(event['arguments'] ?? event['input'], 'textDone', at)
      if (typeof event['name'] === 'string') item.name.add(event['name'], 'textDone', at)
    }
  }

  #text(part: AgreedPart, event: StreamEvent, { text: kind, voice, isDelta }: EventMeaning, at: EventRef): void {
    const place = isDelta ? 'deltas' : 'textDone'
    part.places.add(place)
    if (kind !== undefined && kind !== '') part.kind.add(kind, place, at)
    if (!isDelta) {
      part.text.add(event['text'] ?? event['refusal'], place, at)
      return
    }
    const { delta } = event
    part.text.append(delta, at)
    if (typeof delta !== 'string') return
    if (voice === 'raw' || voice === 'summary') this.streamedReasoning.append(voice, delta)
    else this.streamedText.append(voice, delta)
  }

  /** Whether an item exists: more than one event mentions it, or the terminal response lists it. */
  #exists(item: AgreedItem): boolean {
    const { places } = item
    if (places.has('terminal')) return true
    if (this.#hasForeign && (this.#isListed || item.hasIdOf(this.#foreignItems))) return false
    if (places.size > 1) return true
    // Only one event mentions it.
    return !this.#isListed && this.ending.value !== 'completed'
  }

  /** An item that is still open when the response is cut off is incomplete. */
  #isCut(item: AgreedItem): boolean {
    const ending = this.ending.value
    const status = item.status.elected((one) => (one === 'incomplete') === (ending === 'incomplete'))?.value
    if (status !== undefined) return status === 'incomplete'
    return !item.places.has('done') && ending !== 'completed'
  }
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

/** The limit for remembered tool names, and for ids of another response's items. */
const MAX_NAMES = 1000

function partOf(item: AgreedItem, event: StreamEvent, { isOfSummary }: EventMeaning): AgreedPart {
  return isOfSummary ? item.summary.at(event['summary_index']) : item.content.at(event['content_index'])
}
