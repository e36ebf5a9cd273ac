import { type Fields, isFields } from '../../../../shared/fields.js'
import { asString, type StreamEvent } from '../../stream-event.js'
import { concatenated, MutableText } from '../mutable-text.js'
import { TextHash } from '../text-hash.js'
import { Thrown } from '../thrown.js'
import { type EventRoute, itemTypeFor, routeOf } from './event-route.js'
import { identitiesOf, requireSame } from './identity.js'
import { Item, outputTextIn } from './item.js'
import { applyToItem } from './item-events.js'

/** The response that `responses.stream()` builds from the events. */
export interface Snapshot {
  readonly output: Item[]
  /** The ids and call_ids of its items, which must be unique. */
  readonly taken: Set<string>
  /** The `output_text` that the server sent, which the SDK uses; undefined if the SDK joins it from the parts. */
  outputText: MutableText | undefined
  id: unknown
  status: unknown
  error: unknown
}

/** Builds the response as the stream helper does, event by event. Throws `Thrown` when the helper throws. */
export class Accumulator {
  #snapshot: Snapshot | undefined
  /** The position in `output` of each `output_index`. */
  #positions = new Map<number, number>()
  readonly #indexes = new Map<string, number>()
  readonly #done = new Map<number, Item>()
  readonly #open = new Map<number, string>()
  #mayBeOutOfOrder = false

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  take(event: StreamEvent): void {
    const { type } = event
    const route = routeOf(asString(type))
    if (!route.isKnown) throw new Thrown('openai-known-event', 'an event that the SDK knows', type)
    if (route.isLifecycle) this.#lifecycle(event, route)
    else if (this.#snapshot === undefined) {
      throw new Thrown('openai-created-first', 'response.created first', type)
    } else if (type !== 'keepalive') this.#inOutput(event, this.#snapshot, route)
  }

  /** Ends the stream, and sorts the items by `output_index`. */
  end(): Snapshot | undefined {
    if (this.#snapshot !== undefined) this.#reorder(this.#snapshot)
    return this.#snapshot
  }

  // Events of the output.

  #inOutput(event: StreamEvent, snapshot: Snapshot, route: EventRoute): void {
    const { type, output_index: index } = event
    let position: number | undefined
    if (Object.hasOwn(event, 'output_index')) {
      if (!Number.isSafeInteger(index) || (index as number) < 0) {
        throw new Thrown('openai-output-index', 'an output_index from 0', index)
      }
      if (type === 'response.output_item.added') {
        if (event['item'] === null || event['item'] === undefined) return
        if (this.#done.has(index as number) || this.#open.has(index as number)) {
          throw new Thrown('openai-output-index', 'an output_index that is not taken', index)
        }
        position = snapshot.output.length
      } else {
        position = this.#positions.get(index as number)
        if (position === undefined) {
          throw new Thrown('openai-output-index', 'the output_index of an item that was added', index)
        }
      }
    }
    const item = position === undefined ? undefined : snapshot.output[position]
    if (type === 'response.output_item.added') this.#add(event, snapshot, position)
    else if (type === 'response.output_item.done') this.#finish(event, snapshot, item, position)
    else {
      const itemType = itemTypeFor(event, route)
      if (itemType === undefined) return
      requireItem(event, item, itemType, route)
      if (applyToItem(event, item, snapshot.output)) ensureJoined(snapshot)
    }
  }

  #add(event: StreamEvent, snapshot: Snapshot, position: number | undefined): void {
    if (position === undefined) throw new Thrown('openai-output-index', 'an output_index', event['output_index'])
    const item = Item.of(event['item'])
    const identities = identitiesOf(item)
    for (const identity of identities) requireFree(snapshot.taken, identity)
    if (item.type === 'message') {
      requireReadable(item)
      ensureJoined(snapshot)
    }
    snapshot.output.push(item)
    for (const identity of identities) snapshot.taken.add(identity)
    const index = event['output_index'] as number
    this.#positions.set(index, position)
    this.#open.set(index, item.identity)
    this.#indexes.set(item.identity, index)
    this.#mayBeOutOfOrder = true
  }

  #finish(event: StreamEvent, snapshot: Snapshot, item: Item | undefined, position: number | undefined): void {
    if (item === undefined || position === undefined) {
      throw new Thrown('openai-output-index', 'the output_index of an item that was added', event['output_index'])
    }
    const done = Item.of(event['item'])
    replace(snapshot, position, done, true)
    const index = event['output_index'] as number
    done.close()
    this.#done.set(index, done.clone())
    this.#open.delete(index)
  }

  // Events with a response.

  #lifecycle(event: StreamEvent, { isTerminal }: EventRoute): void {
    const { type, response } = event
    if (!isFields(response)) throw new Thrown('openai-response', 'a response', response)
    const { id, output } = response
    if (this.#snapshot !== undefined && (id !== this.#snapshot.id || isFields(id) || Array.isArray(id))) {
      throw new Thrown('openai-response-id', `response.id ${concatenated(this.#snapshot.id)}`, id)
    }
    if (output !== undefined && output !== null && !Array.isArray(output)) {
      throw new Thrown('openai-output', 'response.output as an array', output)
    }
    const isCompleted = type === 'response.completed'
    const items = Array.isArray(output) ? output.map(Item.of) : this.#kept(isCompleted, isTerminal)
    // If the SDK fills in the items, it also joins the text itself.
    const isJoined = !Array.isArray(output) && isTerminal
    const next = snapshotOf(response, items, isJoined)
    if (isCompleted) this.#requireComplete(items)
    if (this.#snapshot === undefined) {
      if (type !== 'response.created') throw new Thrown('openai-created-first', 'response.created first', type)
    } else if (!isTerminal) {
      if (this.#update(next, this.#snapshot)) return
      const given = new Set(items.map(({ identity }) => identity))
      for (const item of this.#snapshot.output) if (!given.has(item.identity)) next.output.push(item)
    }
    requireValid(next)
    if (isTerminal) for (const item of next.output) item.close()
    if (!isCompleted) this.#place(next, isTerminal)
    else this.#mayBeOutOfOrder = false
    this.#snapshot = next
  }

  /** The items for a response without an output. */
  #kept(isCompleted: boolean, isTerminal: boolean): Item[] {
    if (isCompleted) return inOrder(this.#done).map((item) => item.clone())
    if (!isTerminal) return []
    return inOrder(new Map([...this.#positions.keys()].map((index) => [index, index])))
      .flatMap((index) => this.#at(index) ?? [])
      .map((item) => item.clone())
  }

  #at(index: number): Item | undefined {
    const position = this.#positions.get(index)
    return this.#done.get(index) ?? (position === undefined ? undefined : this.#snapshot?.output[position])
  }

  #requireComplete(items: readonly Item[]): void {
    const final = new Map(items.map((item) => [item.identity, item]))
    for (const item of this.#done.values()) {
      const last = final.get(item.identity)
      if (last !== undefined) requireSame(item, last)
    }
    for (const [index, identity] of this.#open) {
      const [last, item] = [final.get(identity), this.#at(index)]
      if (last === undefined || item === undefined) {
        throw new Thrown('openai-items-done', `response.output_item.done of item ${index}`, undefined, 'none')
      }
      requireSame(item, last)
    }
  }

  /** Updates the built response with one from a non-terminal event. Returns false if that has unknown items. */
  #update(next: Snapshot, snapshot: Snapshot): boolean {
    if (next.output.length > 0) {
      requireValid(next)
      const places = next.output.map((item) => {
        const index = this.#indexes.get(item.identity)
        return { item, index, position: index === undefined ? undefined : this.#positions.get(index) }
      })
      if (places.some(({ position }) => position === undefined)) return false
      if (next.outputText !== undefined) snapshot.outputText = next.outputText
      for (const { item, index, position } of places) {
        replace(snapshot, position as number, item, next.outputText === undefined)
        if (this.#done.has(index as number)) this.#done.set(index as number, item.clone())
      }
      this.#reorder(snapshot)
    }
    if (next.outputText === undefined) ensureJoined(snapshot)
    else snapshot.outputText = next.outputText
    const { id, status, error } = next
    Object.assign(snapshot, { id, status, error })
    return true
  }

  /** Finds the index of each item in a response that replaces the built one. */
  #place(next: Snapshot, isTerminal: boolean): void {
    const known = new Map<string, number>()
    for (const [index, item] of this.#done) known.set(item.identity, index)
    for (const [index, identity] of this.#open) known.set(identity, index)
    const positions = new Map<number, number>()
    this.#indexes.clear()
    for (const [position, item] of next.output.entries()) {
      const { identity } = item
      const index = known.get(identity) ?? position
      const [done, open] = [this.#done.get(index), this.#open.get(index)]
      const isOther = (done !== undefined && done.identity !== identity) || (open !== undefined && open !== identity)
      if (positions.has(index) || isOther) {
        const got = `a ${item.type} ${concatenated(item.id ?? item.callId)} at ${position}`
        throw new Thrown('openai-output', 'the items of the stream in response.output', undefined, got)
      }
      const previous = this.#at(index)
      if (previous !== undefined) requireSame(previous, item)
      positions.set(index, position)
      this.#indexes.set(identity, index)
      if (done === undefined) this.#open.set(index, identity)
      else this.#done.set(index, item.clone())
    }
    this.#positions = positions
    this.#mayBeOutOfOrder = !isTerminal
    if (!isTerminal) this.#reorder(next)
  }

  #reorder(snapshot: Snapshot): void {
    if (!this.#mayBeOutOfOrder) return
    this.#mayBeOutOfOrder = false
    const order = [...this.#positions].sort(([a], [b]) => a - b)
    if (order.every(([, position], at) => position === at)) return
    const items = order.map(([, position]) => snapshot.output[position] as Item)
    snapshot.output.length = 0
    for (const item of items) snapshot.output.push(item)
    this.#positions = new Map(order.map(([index], at) => [index, at]))
  }
}

function snapshotOf({ id, status, error, output_text: text }: Fields, output: Item[], isJoined: boolean): Snapshot {
  // An empty text equals the joined text of an empty output.
  const isGiven = !isJoined && text !== undefined && text !== null && !(text === '' && output.length === 0)
  return { id, status, error, output, taken: new Set(), outputText: isGiven ? new MutableText(text) : undefined }
}

/** From now on the SDK joins the text from the parts, so all messages must have readable parts. */
function ensureJoined(snapshot: Snapshot): void {
  if (snapshot.outputText === undefined) return
  for (const item of snapshot.output) requireReadable(item)
  snapshot.outputText = undefined
}

function requireValid({ output, outputText, taken }: Snapshot): void {
  if (outputText === undefined) for (const item of output) requireReadable(item)
  taken.clear()
  for (const item of output) {
    for (const identity of identitiesOf(item)) {
      requireFree(taken, identity)
      taken.add(identity)
    }
  }
}

function requireFree(taken: ReadonlySet<string>, identity: string): void {
  if (taken.has(identity)) throw new Thrown('openai-item-twice', 'unique items', undefined, `a second ${identity}`)
}

/** Requires that the SDK can iterate over the content of a message. */
function requireReadable(item: Item): void {
  if (item.isReadable) return
  throw new Thrown(
    'openai-content',
    'a message whose content is an array of parts',
    item.content === undefined ? item.otherContent : null,
  )
}

function replace(snapshot: Snapshot, position: number, item: Item, joins: boolean): void {
  const previous = snapshot.output[position]
  if (previous === undefined) throw new Thrown('openai-output-index', 'the item in response.output', undefined, 'none')
  requireSame(previous, item)
  if (previous.id === undefined && item.id !== undefined) {
    requireFree(snapshot.taken, `id ${concatenated(item.id)}`)
    snapshot.taken.add(`id ${concatenated(item.id)}`)
  }
  if (joins) {
    if (item.type === 'message') ensureJoined(snapshot)
    requireReadable(item)
  }
  snapshot.output[position] = item
}

/** Requires that the event's id and type fit the item at its index. */
function requireItem(
  event: StreamEvent,
  item: Item | undefined,
  itemType: string,
  { isNameless }: EventRoute,
): asserts item is Item {
  const { item_id: id, output_index: index } = event
  if (item === undefined) throw new Thrown('openai-output-index', 'the output_index of an item that was added', index)
  if (!isNameless && (typeof id !== 'string' || id === '' || id !== item.id)) {
    throw new Thrown('openai-item-id', `item_id ${JSON.stringify(item.id)}`, id)
  }
  if (item.type !== itemType) throw new Thrown('openai-item-type', `an item of type ${itemType}`, item.type)
}

const inOrder = <Value>(values: ReadonlyMap<number, Value>): Value[] =>
  [...values].sort(([a], [b]) => a - b).map(([, value]) => value)

/** The text of the result: the server's `output_text`, or the joined text parts of all messages. */
export function resultText({ output, outputText }: Snapshot): TextHash {
  if (outputText !== undefined) return outputText.appended
  return output.reduce((text, item) => text.join(outputTextIn(item)), new TextHash())
}
