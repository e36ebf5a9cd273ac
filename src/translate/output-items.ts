import { LONGEST_HEADER } from '../harmony/header.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { Logprob, OutputItem } from '../responses/items.js'
import { Calls } from './calls.js'
import type { ScoredText } from './citation-stage.js'
import { grown, NONE } from './grown-list.js'
import { BREAK, type HeaderToken, tokensOfLead } from './header-tokens.js'
import { calleeOf } from './items/callee-of.js'
import { type HostedItem, resolveHosted } from './items/host-status.js'
import type { Item, ItemContext, ItemKind, Subject } from './items/item.js'
import { kindOf, wireOf } from './items/kinds.js'
import { appendText, createTextBuffer, textOf } from './text-buffer.js'
import type { CallResult } from './tool-result.js'

/** The state of an {@link OutputItems}. Plain JSON. */
export interface OutputItemsSnapshot {
  readonly items: readonly Item[]
  /** The item that is being written: its output index, the silent item itself, or null. */
  readonly current: number | Item | null
  /** Of tokens whose text is not sent yet. */
  readonly logprobs: readonly Logprob[]
  /** The tokens of the header that is being read, since its last marker. */
  readonly header: readonly HeaderToken[]
}

/** More than the longest header has, with a token for each byte and a marker behind each character. */
const MOST_TOKENS = 8 * LONGEST_HEADER

/**
 * The output of a response while it is made: its items, and every event about them. What is in the terminal response is
 * what was streamed, because it is written from the same items.
 */
export class OutputItems {
  readonly #context: ItemContext
  /** Whether the client's calls are announced only when they are whole. */
  readonly #isWhole: boolean
  /** Every announced item, by output index. */
  #items: readonly Item[] = NONE
  #calls: Calls | undefined
  #current: Item | null = null
  /** Its kind, looked up once: it is asked for with every delta. */
  #kind: ItemKind<Item> = kindOf({ type: 'message' })
  /** Text of the current item that is in no delta yet: a push gives one delta per part. */
  #text = ''
  /** The tokens of that text, where probabilities are asked for. */
  #tokens: readonly ScoredText[] = NONE
  /** Of tokens that gave no text yet: half characters. */
  #silent: readonly Logprob[] = NONE
  /** The tokens of the open header since its last marker: where it turns out to be a message, they are its first. */
  #header: readonly HeaderToken[] = NONE

  constructor(context: ItemContext, isWhole: boolean, snapshot?: OutputItemsSnapshot) {
    this.#context = context
    this.#isWhole = isWhole
    if (snapshot === undefined) return
    this.#items = snapshot.items
    this.#current = typeof snapshot.current === 'number' ? (this.#items[snapshot.current] ?? null) : snapshot.current
    if (this.#current !== null) this.#kind = kindOf(this.#current)
    this.#silent = snapshot.logprobs
    this.#header = snapshot.header
  }

  /** The item that is being written. */
  get current(): Item | null {
    return this.#current
  }

  /** How much text waits to be sent, in UTF-16 units. */
  get gathered(): number {
    return this.#text.length
  }

  /** Whether text that was said is held back. */
  get isHolding(): boolean {
    const item = this.#current
    return item?.type === 'message' && (item.citing?.held ?? '') !== ''
  }

  /** Finds the call of a result. */
  get calls(): Calls {
    this.#calls ??= new Calls()
    return this.#calls.file(this.#items)
  }

  /** The items in their wire form, as of now. */
  wire(): OutputItem[] {
    return this.#items.map(wireOf)
  }

  /** Whether a result of the host's is for this item. */
  takesResult(item: Item): boolean {
    return item.callee !== ''
  }

  /** Whether the client may run it as soon as it is done. */
  #isClients(item: Item): boolean {
    return kindOf(item).isRunByClient === true && !this.takesResult(item)
  }

  /** A message begins that gives this item. */
  begin(subject: Subject): void {
    const item = this.#create(subject)
    this.#kind = kindOf(item)
    const isLate = this.#kind.opens === 'terminator' || (this.#isWhole && this.#isClients(item))
    this.#current = item
    if (!isLate) this.#announce(item)
  }

  /** More text of it; `isLead` where it came before the message was known to begin. */
  write(text: string, isLead = false): void {
    const start = this.#text.length
    this.#text = start === 0 ? text : this.#text + text
    if (isLead && this.#header.length > 0) this.#tokens = tokensOfLead(this.#header, text)
    for (const logprob of this.#silent) this.#tokens = grown(this.#tokens, { logprob, start, end: this.#text.length })
    this.#silent = NONE
    this.#header = NONE
  }

  /** A text token, before its text. Its probabilities go out with the delta that the text is in. */
  score(token: HeaderToken): void {
    // It says nothing: such a one could come again and again.
    if (token.bytes.length === 0) return
    if (this.#current === null) this.#addToHeader(token)
    else if (this.#current.type === 'message' && token.logprob !== null) {
      this.#silent = grown(this.#silent, token.logprob)
    }
  }

  /** What came of the header before now never becomes text. */
  forgetHeader(): void {
    this.#header = NONE
  }

  /** A marker came that no header has: the header goes on behind it. */
  breakHeader(): void {
    if ((this.#header.at(-1)?.bytes.length ?? 0) > 0) this.#addToHeader(BREAK)
  }

  /** Sends what was gathered as one delta. */
  flush(): void {
    const item = this.#current
    const text = this.#text
    if (item === null || text.length === 0) return
    const tokens = this.#tokens
    this.#text = ''
    this.#tokens = NONE
    this.#append(item, text, tokens)
  }

  /** Sends also what may have turned out to be nothing: nothing more will come. */
  release(): void {
    this.flush()
    const item = this.#current
    if (item !== null && item.stage !== 'silent') kindOf(item).release?.(item, this.#context)
  }

  /** The message has ended: as it should, or cut off. */
  end(item: Item, outcome: 'completed' | 'incomplete'): void {
    this.release()
    if (outcome === 'completed' && item.stage === 'silent') this.#announceWhole(item)
    this.#current = null
    this.#silent = NONE
    this.#header = NONE
    if (item.stage === 'silent') this.#noticeCut(item, textOf(item.text))
    else if (outcome === 'incomplete' && this.#isClients(item)) {
      // Clients run a call at its output_item.done: a cut one must not get there. It stands in the last response only.
      this.#cut(item)
    } else this.#close(item, outcome)
  }

  /** An item of the host's: whole, beside what the model is writing. */
  insert(subject: Subject): void {
    const item = this.#create(subject)
    this.#announce(item)
    this.#close(item, 'completed')
  }

  /** The result of a waiting call came; null where none ever will. */
  resolve(item: Item, result: CallResult | null): void {
    item.stage = 'done'
    if (item.type !== 'shell_call') {
      kindOf(item).resolve?.(item, result, this.#context)
      resolveHosted(item as HostedItem, result, this.#context)
      this.#write('response.output_item.done', item)
    } else if (result !== null) this.insert({ kind: 'shell_call_output', call: item, result })
  }

  /** No result will come any more: the calls that wait are closed, oldest first. */
  giveUpWaiting(isOwed = true): void {
    for (const item of this.#items) {
      if (item.stage !== 'waiting') continue
      if (isOwed) this.#context.notice('missing_result', item.id)
      this.resolve(item, null)
    }
  }

  /** The response failed: nothing more is closed, and what is open stands incomplete. */
  abandon(): void {
    for (const item of this.#items) {
      const isOpen = item.stage === 'writing' || (item.stage === 'waiting' && kindOf(item).result === 'completes')
      if (isOpen) this.#cut(item)
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
      logprobs: this.#silent,
      header: this.#header,
    }
  }

  #addToHeader(token: HeaderToken): void {
    // The native parser's headers are never as long; another one's may never end.
    this.#header = grown(this.#header.length < MOST_TOKENS ? this.#header : NONE, token)
  }

  #create(subject: Subject): Item {
    const type = subject.kind
    const { create, result } = kindOf({ type })
    return {
      type,
      id: '',
      outputIndex: -1,
      stage: 'silent',
      status: 'in_progress',
      text: createTextBuffer(),
      held: '',
      callee: result === undefined ? '' : recipientKey(subject as Recipient),
      ...create(subject as never, this.#context),
    } as Item
  }

  #announce(item: Item): void {
    const kind = kindOf(item)
    // The host may have one of its own.
    if (item.id === '') item.id = this.#context.id(kind.prefix)
    if ('callId' in item) item.callId = this.#context.id('call')
    item.outputIndex = this.#items.length
    this.#items = grown(this.#items, item)
    this.#write('response.output_item.added', item)
    item.stage = 'writing'
    kind.open?.(item, this.#context)
  }

  /** Announces a call whose text is whole: clients add deltas to what was announced, so it is announced empty. */
  #announceWhole(item: Item): void {
    const text = textOf(item.text)
    const kind = kindOf(item)
    if (kind.opens === 'terminator') {
      kind.ready?.(item, this.#context)
      this.#announce(item)
      return
    }
    item.text = createTextBuffer()
    this.#announce(item)
    if (text !== '') this.#append(item, text, NONE)
  }

  /** Of the item that is being written. */
  #append(item: Item, text: string, tokens: readonly ScoredText[]): void {
    const kind = this.#kind
    if (item.stage === 'silent' || kind.delta === undefined) appendText(item.text, text)
    else kind.delta(item, text, this.#context, tokens)
  }

  #close(item: Item, outcome: 'completed' | 'incomplete'): void {
    const kind = kindOf(item)
    const isCompleted = kind.result === 'completes'
    if (!isCompleted) item.status = outcome
    item.stage = this.takesResult(item) && (isCompleted || outcome === 'completed') ? 'waiting' : 'done'
    // Which may end it: a call of a tool that may not be called.
    kind.close?.(item, outcome, this.#context)
    // Where the result is an item of its own, the call is over before it comes.
    if (item.stage === 'done' || !isCompleted) this.#write('response.output_item.done', item)
  }

  #write(type: 'response.output_item.added' | 'response.output_item.done', item: Item): void {
    const sequence_number = this.#context.next()
    this.#context.emit({ type, sequence_number, output_index: item.outputIndex, item: wireOf(item) })
  }

  /** It is never done, and stands incomplete in the response. */
  #cut(item: Item): void {
    const isKept = kindOf(item).delta === undefined && item.stage === 'writing'
    const dropped = isKept ? textOf(item.text) : item.held
    item.status = 'incomplete'
    item.stage = 'cut'
    if (dropped !== '') this.#noticeCut(item, dropped)
  }

  #noticeCut(item: Item, dropped: string): void {
    this.#context.notice('call_cut_off', calleeOf(item), dropped)
  }
}
