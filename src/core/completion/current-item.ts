import type { ScoredText } from '../citations/citation-stage.js'
import type { ItemContext } from '../items/item-context.js'
import type { ItemKind } from '../items/item-kind.js'
import { type Item, kindOf, type Subject } from '../items/kinds.js'
import { PendingText, type PendingTextSnapshot } from '../items/pending-text.js'
import type { HeaderToken } from '../text/header-tokens.js'
import { appendText, createTextBuffer, textOf } from '../text/text-buffer.js'
import type { OutputItems } from './output-items.js'

/** The state of the output: its items, and the one that is being written. Plain JSON. */
export interface OutputSnapshot extends PendingTextSnapshot {
  readonly items: Item[]
  /** The current item: its output index, the item itself before it is added, or null. */
  readonly current: number | Item | null
}

/** The item that the model is writing, if any: gathers its text, and passes it on. */
export class CurrentItem {
  readonly #context: ItemContext
  readonly #output: OutputItems
  /** Whether calls that the client runs are added only once complete. */
  readonly #isWhole: boolean
  readonly pending: PendingText
  #item: Item | null
  /** The item's kind, cached because every delta needs it. */
  #kind: ItemKind<Item, Subject>

  constructor(context: ItemContext, output: OutputItems, isWhole: boolean, snapshot?: OutputSnapshot) {
    const { current = null } = snapshot ?? {}
    this.#context = context
    this.#output = output
    this.#isWhole = isWhole
    this.pending = new PendingText(snapshot)
    this.#item = typeof current === 'number' ? (output.items[current] ?? null) : current
    this.#kind = kindOf(this.#item ?? { type: 'message' })
  }

  get item(): Item | null {
    return this.#item
  }

  /** Whether text of the item is held back. */
  get isHolding(): boolean {
    return this.#item !== null && this.#kind.isHolding?.(this.#item) === true
  }

  get isReasoning(): boolean {
    return this.#item !== null && this.#kind.isReasoning === true
  }

  /** Whether the client answers the item: runs it, or approves it. */
  get isAnsweredByClient(): boolean {
    const item = this.#item
    return item !== null && (this.#isRunByClient(item) || item.type === 'mcp_approval_request')
  }

  /** Begins an item for a message. */
  begin(subject: Subject): void {
    const item = this.#output.create(subject)
    this.#kind = kindOf(item)
    this.#item = item
    if (this.#kind.opens === undefined && !(this.#isWhole && this.#isRunByClient(item))) this.#output.add(item)
  }

  /** @param isLead - whether the text came before the message was known to begin */
  write(text: string, isLead = false): void {
    this.pending.append(text, isLead)
  }

  /** Adds a text token's log-probability, before its text. The delta with the text will carry it. */
  score(token: HeaderToken): void {
    // A token without bytes never produces text, so its entries would pile up.
    if (token.bytes.length === 0) return
    if (this.#item === null) this.pending.addToHeader(token)
    else if (this.#kind.isScored && token.logprob !== null) this.pending.score(token.logprob)
  }

  /** Emits the pending text as one delta. */
  flush(): void {
    const { text, tokens } = this.pending
    if (this.#item === null || text === undefined) return
    this.pending.clear()
    this.#append(this.#item, text, tokens)
  }

  /** Emits all text, including held text, because no more will follow. */
  release(): void {
    this.flush()
    const item = this.#item
    if (item !== null && item.stage !== 'silent') this.#kind.release?.(item, this.#context)
  }

  /** Ends the item, if there is one, because its message is complete or cut off. */
  end(outcome: 'completed' | 'incomplete'): void {
    this.release()
    const item = this.#item
    if (item === null) return
    if (outcome === 'completed' && item.stage === 'silent') this.#addWhole(item)
    this.#item = null
    this.pending.drop()
    if (item.stage === 'silent') this.#output.noticeCut(item, textOf(item.text))
    // Clients run a call at its output_item.done, so a call that was cut off must not get that event.
    else if (outcome === 'incomplete' && this.#isRunByClient(item)) this.#output.cut(item)
    else this.#close(item, outcome)
  }

  /** Drops the item of a failed response. If it was added, it stays incomplete. */
  abandon(): void {
    const item = this.#item
    if (item?.stage === 'silent') this.#output.noticeCut(item, textOf(item.text))
    this.#item = null
  }

  /** Returns the state of the whole output. */
  snapshot(): OutputSnapshot {
    const item = this.#item
    return {
      items: [...this.#output.items],
      current: item === null || item.stage === 'silent' ? item : item.outputIndex,
      ...this.pending.snapshot(),
    }
  }

  /** Adds a call whose text is complete. It is added without its text, because clients append deltas to it. */
  #addWhole(item: Item): void {
    if (this.#kind.opens === 'terminator') {
      this.#kind.finish?.(item, this.#context)
      this.#output.add(item)
      return
    }
    const text = textOf(item.text)
    item.text = createTextBuffer()
    this.#output.add(item)
    if (text !== '') this.#append(item, text, [])
  }

  #append(item: Item, text: string, tokens: readonly ScoredText[]): void {
    const kind = this.#kind
    if (item.stage === 'silent' || kind.delta === undefined) appendText(item.text, text)
    else kind.delta(item, text, this.#context, tokens)
  }

  #close(item: Item, outcome: 'completed' | 'incomplete'): void {
    // Runs first, because a callback may throw: the item then stays open, and the failed response contains it as
    // incomplete.
    if (this.#kind.opens !== 'terminator') this.#kind.finish?.(item, this.#context)
    this.#output.close(item, outcome)
  }

  /** Whether the client runs the item at `output_item.done`. */
  #isRunByClient(item: Item): boolean {
    return this.#kind.isRunByClient === true && item.callee === ''
  }
}
