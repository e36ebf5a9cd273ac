import type { ScoredText } from '../citations/citation-stage.js'
import type { ItemContext } from '../items/item-context.js'
import type { ItemKind } from '../items/item-kind.js'
import { calleeOf, type Item, isHosted, type KindTable, kindOf, type Subject, wireOf } from '../items/kinds.js'
import { resolveStatus } from '../items/parts/host-status.js'
import { recipientKey } from '../recipients/recipient.js'
import type { CallResult } from '../responses/call-result.js'
import type { OutputItem } from '../responses/items.js'
import type { HeaderToken } from '../text/header-tokens.js'
import { PendingText, type PendingTextSnapshot } from '../text/pending-text.js'
import { appendText, createTextBuffer, textOf } from '../text/text-buffer.js'
import { Calls } from './calls.js'

/** The state of {@link OutputItems}. Plain JSON. */
export interface OutputItemsSnapshot extends PendingTextSnapshot {
  readonly items: Item[]
  /** The current item: its output index, the item itself before it is added, or null. */
  readonly current: number | Item | null
}

/**
 * The output of a response under construction: its items and all events about them. The terminal response always
 * matches the stream, because both are written from the same items.
 */
export class OutputItems {
  readonly #context: ItemContext
  readonly #kinds: KindTable
  /** Whether calls that the client runs are added only once complete. */
  readonly #isWhole: boolean
  /** The added items, by output index. */
  readonly #items: Item[]
  readonly pending: PendingText
  #calls: Calls | undefined
  #current: Item | null
  /** The current item's kind, cached because every delta needs it. */
  #kind: ItemKind<Item, Subject>

  constructor(context: ItemContext, kinds: KindTable, isWhole: boolean, snapshot?: OutputItemsSnapshot) {
    const { items = [], current = null } = snapshot ?? {}
    this.#context = context
    this.#kinds = kinds
    this.#isWhole = isWhole
    this.#items = items
    this.pending = new PendingText(snapshot)
    this.#current = typeof current === 'number' ? (items[current] ?? null) : current
    this.#kind = kindOf(this.#kinds, this.#current ?? { type: 'message' })
  }

  /** The item that is being written. */
  get current(): Item | null {
    return this.#current
  }

  /** Whether text of the current item is held back. */
  get isHolding(): boolean {
    return this.#current !== null && this.#kind.isHolding?.(this.#current) === true
  }

  /** Whether the current item is reasoning. */
  get isReasoning(): boolean {
    return this.#current !== null && this.#kind.isReasoning === true
  }

  /** The index of calls, which finds the one that a result belongs to. */
  get calls(): Calls {
    this.#calls ??= new Calls()
    return this.#calls.index(this.#items)
  }

  /** Returns the items in their current wire form. */
  wire(): OutputItem[] {
    return this.#items.map((item) => wireOf(this.#kinds, item))
  }

  /** Begins an item for a message. */
  begin(subject: Subject): void {
    const item = this.#create(subject)
    this.#kind = kindOf(this.#kinds, item)
    this.#current = item
    if (this.#kind.opens === undefined && !(this.#isWhole && this.#isRunByClient(item))) this.#announce(item)
  }

  /** @param isLead - whether the text came before the message was known to begin */
  write(text: string, isLead = false): void {
    this.pending.append(text, isLead)
  }

  /** Adds a text token's log-probability, before its text. The delta with the text will carry it. */
  score(token: HeaderToken): void {
    // A token without bytes never produces text, so its entries would pile up.
    if (token.bytes.length === 0) return
    if (this.#current === null) this.pending.addToHeader(token)
    else if (this.#kind.isScored && token.logprob !== null) this.pending.score(token.logprob)
  }

  /** Emits the pending text as one delta. */
  flush(): void {
    const { text, tokens } = this.pending
    if (this.#current === null || text === undefined) return
    this.pending.clear()
    this.#append(this.#current, text, tokens)
  }

  /** Emits all text, including held text, because no more will follow. */
  release(): void {
    this.flush()
    const item = this.#current
    if (item !== null && item.stage !== 'silent') this.#kind.release?.(item, this.#context)
  }

  /** Ends the item when its message is complete or cut off. */
  end(item: Item, outcome: 'completed' | 'incomplete'): void {
    this.release()
    if (outcome === 'completed' && item.stage === 'silent') this.#announceWhole(item)
    this.#current = null
    this.pending.drop()
    if (item.stage === 'silent') this.#noticeCut(item, textOf(item.text))
    // Clients run a call at its output_item.done, so a call that was cut off must not get that event.
    else if (outcome === 'incomplete' && this.#isRunByClient(item)) this.#cut(item)
    else this.#close(item, outcome)
  }

  /** Adds a complete item from the host, without affecting the current item. */
  insert(subject: Subject): void {
    const item = this.#create(subject)
    this.#announce(item)
    this.#close(item, 'completed')
  }

  /** @param result - the result of a waiting call; null if none will come */
  resolve(item: Item, result: CallResult | null): void {
    const { answer, resolve, hasFailedEvent = false } = kindOf(this.#kinds, item)
    item.stage = 'done'
    if (answer === undefined) {
      resolve?.(item, result, this.#context)
      resolveStatus(item, result, hasFailedEvent, this.#context)
      this.#emitItem('response.output_item.done', item)
    } else if (result !== null) this.insert(answer(item, result) as Subject)
  }

  /**
   * Closes the waiting calls, oldest first, because no more results will come.
   *
   * @param isExpected - whether the host should have provided their results
   */
  giveUpWaiting(isExpected = true): void {
    for (const item of this.#items) {
      if (item.stage !== 'waiting') continue
      if (isExpected) this.#context.notice('missing_result', item.id)
      this.resolve(item, null)
    }
  }

  /** Abandons open items of a failed response: they stay incomplete and get no `output_item.done`. */
  abandon(): void {
    for (const item of this.#items) {
      if (item.stage === 'writing' || (item.stage === 'waiting' && this.#isCompletedByResult(item))) this.#cut(item)
    }
    const item = this.#current
    if (item?.stage === 'silent') this.#noticeCut(item, textOf(item.text))
    this.#current = null
  }

  snapshot(): OutputItemsSnapshot {
    const current = this.#current
    return {
      items: this.#items,
      current: current === null || current.stage === 'silent' ? current : current.outputIndex,
      ...this.pending.snapshot(),
    }
  }

  #create(subject: Subject): Item {
    const type = subject.kind
    return {
      type,
      id: '',
      outputIndex: -1,
      stage: 'silent',
      status: 'in_progress',
      text: createTextBuffer(),
      held: '',
      callee: isHosted(this.#kinds, subject) ? recipientKey(subject) : '',
      ...kindOf(this.#kinds, { type }).create(subject, this.#context),
    } as Item
  }

  #announce(item: Item): void {
    const kind = kindOf(this.#kinds, item)
    // An inserted item may already have an id.
    if (item.id === '') item.id = this.#context.id(kind.prefix)
    if ('callId' in item) item.callId = this.#context.id('call')
    item.outputIndex = this.#items.length
    this.#items.push(item)
    this.#emitItem('response.output_item.added', item)
    item.stage = 'writing'
    kind.open?.(item, this.#context)
  }

  /** Adds a call whose text is complete. It is added without its text, because clients append deltas to it. */
  #announceWhole(item: Item): void {
    const text = textOf(item.text)
    if (this.#kind.opens === 'terminator') {
      this.#kind.ready?.(item, this.#context)
      this.#announce(item)
      return
    }
    item.text = createTextBuffer()
    this.#announce(item)
    if (text !== '') this.#append(item, text, [])
  }

  /** Appends text to the current item. */
  #append(item: Item, text: string, tokens: readonly ScoredText[]): void {
    const kind = this.#kind
    if (item.stage === 'silent' || kind.delta === undefined) appendText(item.text, text)
    else kind.delta(item, text, this.#context, tokens)
  }

  #close(item: Item, outcome: 'completed' | 'incomplete'): void {
    const { close, refusal } = kindOf(this.#kinds, item)
    const isCompletedLater = this.#isCompletedByResult(item)
    // Runs first, because a callback may throw: the item then stays open, and the failed response contains it as
    // incomplete.
    close?.(item, outcome, this.#context)
    if (!isCompletedLater) item.status = outcome
    item.stage = item.callee !== '' && (isCompletedLater || outcome === 'completed') ? 'waiting' : 'done'
    const result = outcome === 'completed' ? refusal?.(item) : undefined
    if (result !== undefined) {
      this.#context.notice('unavailable_tool', calleeOf(this.#kinds, item))
      this.resolve(item, result)
    } else if (item.stage === 'done' || !isCompletedLater) {
      // A call whose result is an item of its own is done before the result.
      this.#emitItem('response.output_item.done', item)
    }
  }

  #emitItem(type: 'response.output_item.added' | 'response.output_item.done', item: Item): void {
    const sequence_number = this.#context.nextSequenceNumber()
    this.#context.emit({ type, sequence_number, output_index: item.outputIndex, item: wireOf(this.#kinds, item) })
  }

  /** Cuts an item off: it stays incomplete in the response and never gets `output_item.done`. */
  #cut(item: Item): void {
    const isStored = kindOf(this.#kinds, item).delta === undefined && item.stage === 'writing'
    const dropped = isStored ? textOf(item.text) : item.held
    item.status = 'incomplete'
    item.stage = 'cut'
    if (dropped !== '') this.#noticeCut(item, dropped)
  }

  #noticeCut(item: Item, dropped: string): void {
    this.#context.notice('call_cut_off', calleeOf(this.#kinds, item), dropped)
  }

  /** Whether the client runs the item at `output_item.done`. */
  #isRunByClient(item: Item): boolean {
    return kindOf(this.#kinds, item).isRunByClient === true && item.callee === ''
  }

  #isCompletedByResult(item: Item): boolean {
    return kindOf(this.#kinds, item).result === 'completes'
  }
}
