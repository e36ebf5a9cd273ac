import type { HostItem } from '../items/host/inserted-item.js'
import type { ItemContext } from '../items/item-context.js'
import { calleeOf, type Item, isHosted, kindOf, type Subject, wireOf } from '../items/kinds.js'
import { recipientKey } from '../recipients/recipient.js'
import type { CallResult } from '../responses/call-result.js'
import { copyOf } from '../responses/copy-of.js'
import type { ItemEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import { createTextBuffer, textOf } from '../text/text-buffer.js'
import { insertedEvents } from './inserted-events.js'
import { announcedForm, eventsOf } from './item-events.js'

/**
 * The output of a response: the items that were added. Decides when an item ends, and emits what says that it begins and
 * ends. The terminal response always matches the stream, because both are written from the same items.
 */
export class OutputItems {
  readonly #context: ItemContext
  /** The added items, by output index. */
  readonly #items: Item[]

  constructor(context: ItemContext, items: Item[] = []) {
    this.#context = context
    this.#items = items
  }

  /** The added items, by output index. Only ever grows. */
  get items(): readonly Item[] {
    return this.#items
  }

  /** Returns the items in their current wire form, as detached values. */
  wire(): OutputItem[] {
    return this.#items.map((item) => detached(this.#wireOf(item)))
  }

  /** Returns the items in their current wire form, for reading alone: listed tools are those that the host gave. */
  view(): readonly OutputItem[] {
    return this.#items.map((item) => this.#wireOf(item))
  }

  /** Creates an item that is not added yet. */
  create(subject: Subject): Item {
    const type = subject.kind
    return {
      type,
      id: '',
      outputIndex: -1,
      stage: 'silent',
      status: 'in_progress',
      text: createTextBuffer(),
      held: '',
      callee: isHosted(subject) ? recipientKey(subject) : '',
      ...kindOf({ type }).create(subject, this.#context),
    } as Item
  }

  /** Adds an item that is going to be written. */
  add(item: Item): void {
    this.#announce(item)
    this.#emit(item, eventsOf(item.type).opened?.(this.#wireOf(item)))
  }

  /** Ends an item whose text is complete or cut off, unless its result has to come first. */
  close(item: Item, outcome: 'completed' | 'incomplete', call?: Item): void {
    const { written, running, settled } = eventsOf(item.type)
    const { refusal } = kindOf(item)
    const isCompletedLater = this.#isCompletedByResult(item)
    if (!isCompletedLater) item.status = outcome
    else if (outcome === 'completed' && running !== undefined) item.status = running
    this.#emit(item, written?.(this.#wireOf(item), call && this.#wireOf(call)))
    item.stage = item.callee !== '' && (isCompletedLater || outcome === 'completed') ? 'waiting' : 'done'
    const result = outcome === 'completed' ? refusal?.(item) : undefined
    if (result !== undefined) {
      this.#context.notice('unavailable_tool', calleeOf(item))
      this.resolve(item, result)
      return
    }
    if (isCompletedLater) return
    // A call whose result is an item of its own is done before the result.
    this.#emit(item, settled?.(this.#wireOf(item)))
    this.#emitItem('done', item)
  }

  /**
   * Ends a call that waited for its result.
   *
   * @param result - null if none will come
   */
  resolve(item: Item, result: CallResult | null): void {
    const { answer, resolve } = kindOf(item)
    item.stage = 'done'
    if (answer === undefined) {
      resolve?.(item, result, this.#context)
      item.status = result === null ? 'incomplete' : result.error === undefined ? 'completed' : 'failed'
      this.#emit(item, eventsOf(item.type).settled?.(this.#wireOf(item)))
      this.#emitItem('done', item)
    } else if (result !== null) this.insert(answer(item, result) as Subject, item)
  }

  /**
   * Adds an item that is complete from the start.
   *
   * @param call - the call that it answers
   */
  insert(subject: Subject, call?: Item): void {
    const item = this.create(subject)
    this.add(item)
    this.close(item, 'completed', call)
  }

  /** Adds an item of the host's own. */
  insertHostItem(host: HostItem): void {
    const item = this.create({ kind: 'host_item', host })
    const id = host.whole['call_id']
    const call = typeof id === 'string' ? this.#items.findLast((other) => callIdOf(other) === id) : undefined
    this.#announce(item)
    this.#emit(item, insertedEvents(host.whole, call && this.#wireOf(call)))
    item.status = 'completed'
    item.stage = 'done'
    this.#emitItem('done', item)
  }

  /** Cuts an item off: it stays incomplete in the response and never gets `output_item.done`. */
  cut(item: Item): void {
    const isStored = kindOf(item).delta === undefined && item.stage === 'writing'
    const dropped = isStored ? textOf(item.text) : item.held
    item.status = 'incomplete'
    item.stage = 'cut'
    if (dropped !== '') this.noticeCut(item, dropped)
  }

  noticeCut(item: Item, dropped: string): void {
    this.#context.notice('call_cut_off', calleeOf(item), dropped)
  }

  /** Cuts off the open items of a failed response. */
  abandon(): void {
    for (const item of this.#items) {
      if (item.stage === 'writing' || (item.stage === 'waiting' && this.#isCompletedByResult(item))) this.cut(item)
    }
  }

  #announce(item: Item): void {
    // An inserted item may already have an id.
    if (item.id === '') item.id = this.#context.id(kindOf(item).prefix)
    if ('callId' in item) item.callId = this.#context.id('call')
    item.outputIndex = this.#items.length
    this.#items.push(item)
    this.#emitItem('added', item)
    item.stage = 'writing'
  }

  #emitItem(moment: 'added' | 'done', item: Item): void {
    const sequence_number = this.#context.nextSequenceNumber()
    const type = `response.output_item.${moment}` as const
    const wire = detached(this.#wireOf(item))
    this.#context.emit({ type, sequence_number, output_index: item.outputIndex, item: wire })
  }

  #emit(item: Item, events: readonly ItemEvent[] = []): void {
    for (const event of events) this.#context.emitFor(item, event)
  }

  #wireOf(item: Item): OutputItem {
    const wire = wireOf(item)
    return item.stage === 'silent' ? announcedForm(wire) : wire
  }

  #isCompletedByResult(item: Item): boolean {
    return kindOf(item).result === 'completes'
  }
}

/** Copies listed tools, of which there may be thousands: only where they leave the translator. */
function detached(wire: OutputItem): OutputItem {
  return wire.type === 'mcp_list_tools' ? { ...wire, tools: copyOf(wire.tools) } : wire
}

/** Returns the id under which an item is answered, if it is a call. */
function callIdOf(item: Item): unknown {
  if ('callId' in item) return item.callId
  return 'shown' in item && item.shown.type.endsWith('_call') ? item.shown['call_id'] : undefined
}
