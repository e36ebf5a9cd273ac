import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { Logprob, OutputItem } from '../responses/items.js'
import { type CallResult, createItem, type Effects, type Item, type ItemType, kindOf } from './items/item.js'
import { appendText, createTextBuffer, textOf } from './text-buffer.js'

/** The state of an {@link Output}. Plain JSON. */
export interface OutputSnapshot {
  readonly items: readonly Item[]
  /** The item that is being written: its output index, the silent item itself, or null. */
  readonly current: number | Item | null
  /** Of tokens whose text is not sent yet. */
  readonly logprobs: readonly Logprob[]
  /** Of tokens of the header that is being read. */
  readonly early: readonly Logprob[]
}

/**
 * The output of a response while it is made: its items, and every event about them. What is in the terminal response is
 * what was streamed, because it is written from the same items.
 */
export class Output {
  readonly #effects: Effects
  /** Whether the client's calls are announced only when they are whole. */
  readonly #isWhole: boolean
  /** Every announced item, by output index. */
  readonly #items: Item[] = []
  #current: Item | null = null
  /** Text of the current item that is in no delta yet: a push gives one delta per part. */
  #text = ''
  /** Probabilities of the tokens of that text. */
  #logprobs: Logprob[] = []
  /** Of tokens that gave no text yet: half characters. */
  #silent: Logprob[] = []
  /** Of tokens before the message. Text that turned out to be no header takes its own along. */
  #early: Logprob[] = []

  constructor(effects: Effects, isWhole: boolean, snapshot?: OutputSnapshot) {
    this.#effects = effects
    this.#isWhole = isWhole
    if (snapshot === undefined) return
    this.#items.push(...snapshot.items)
    this.#current = typeof snapshot.current === 'number' ? (this.#items[snapshot.current] ?? null) : snapshot.current
    this.#silent = [...snapshot.logprobs]
    this.#early = [...snapshot.early]
  }

  /** The item that is being written. */
  get current(): Item | null {
    return this.#current
  }

  /** How much text waits to be sent, in UTF-16 units. */
  get gathered(): number {
    return this.#text.length
  }

  find(id: string): Item | undefined {
    return this.#items.find((item) => item.id === id)
  }

  /** The calls that wait for a result, oldest first. */
  waiting(): Item[] {
    return this.#items.filter(({ stage }) => stage === 'waiting')
  }

  /** The items in their wire form, as of now. */
  wire(): OutputItem[] {
    return this.#items.map((item) => kindOf(item).wire(item))
  }

  /** A message to this recipient begins. */
  begin(recipient: Extract<Recipient, { kind: ItemType }>): void {
    const item = createItem(recipient, recipientKey(recipient), this.#effects)
    const kind = kindOf(item)
    this.#current = item
    this.#logprobs = []
    this.#silent = []
    const isLate = kind.opens === 'terminator' || (this.#isWhole && kind.isRunByClient)
    if (!isLate) this.#announce(item)
  }

  /** More text of it; `isLead` where it came before the message was known to begin. */
  write(text: string, isLead = false): void {
    this.#text += text
    if (isLead) this.#logprobs = endingOf(this.#early, text.length)
    else if (this.#silent.length > 0) this.#logprobs.push(...this.#silent)
    if (this.#silent.length > 0) this.#silent = []
    if (this.#early.length > 0) this.#early = []
  }

  /** Probabilities of a token, before its text. They go out with the delta that the text is in. */
  score(logprobs: readonly Logprob[]): void {
    if (this.#current === null) this.#early.push(...logprobs)
    else if (this.#current.type === 'message') this.#silent.push(...logprobs)
  }

  /** Sends what was gathered as one delta. */
  flush(): void {
    const item = this.#current
    if (item === null || this.#text === '') return
    const text = this.#text
    this.#text = ''
    if (item.stage === 'silent') appendText(item.text, text)
    else {
      const logprobs = this.#logprobs
      if (logprobs.length > 0) this.#logprobs = []
      kindOf(item).delta(item, text, logprobs, this.#effects)
    }
  }

  /** The message has ended: as it should, or cut off. */
  end(item: Item, outcome: 'completed' | 'incomplete'): void {
    const kind = kindOf(item)
    this.flush()
    if (outcome === 'completed' && item.stage === 'silent') this.#announceWhole(item)
    this.#current = null
    this.#early = []
    if (item.stage === 'silent') this.#noticeCut(item, textOf(item.text))
    else if (outcome === 'incomplete' && kind.isRunByClient) {
      // Clients run a call at its output_item.done: a cut one must not get there. It stands in the last response only.
      this.#cut(item)
    } else if (kind.close(item, outcome, this.#effects) === 'waiting') item.stage = 'waiting'
    else this.#finish(item)
  }

  /** The result of a waiting call came; null where none ever will. */
  settle(item: Item, result: CallResult | null): void {
    kindOf(item).settle?.(item, result, this.#effects)
    this.#finish(item)
  }

  /** The response failed: nothing more is closed, and what is open stands incomplete. */
  abandon(): void {
    for (const item of this.#items) {
      if (item.stage === 'writing' || item.stage === 'waiting') this.#cut(item)
    }
    if (this.#current?.stage === 'silent') this.#noticeCut(this.#current, textOf(this.#current.text))
    this.#current = null
  }

  snapshot(): OutputSnapshot {
    const current = this.#current
    return {
      items: this.#items,
      current: current === null || current.stage === 'silent' ? current : current.outputIndex,
      logprobs: this.#silent,
      early: this.#early,
    }
  }

  #announce(item: Item): void {
    const kind = kindOf(item)
    item.id = this.#effects.sequencer.id(kind.prefix)
    if ('callId' in item) item.callId = this.#effects.sequencer.id('call')
    item.outputIndex = this.#effects.sequencer.outputIndex()
    this.#items.push(item)
    this.#effects.write({
      type: 'response.output_item.added',
      sequence_number: this.#effects.sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kind.wire(item),
    })
    item.stage = 'writing'
    kind.open?.(item, this.#effects)
  }

  /** Announces a call whose text is whole: clients add deltas to what was announced, so it is announced empty. */
  #announceWhole(item: Item): void {
    const text = textOf(item.text)
    item.text = createTextBuffer()
    this.#announce(item)
    if (text !== '') kindOf(item).delta(item, text, [], this.#effects)
  }

  #finish(item: Item): void {
    item.stage = 'done'
    this.#effects.write({
      type: 'response.output_item.done',
      sequence_number: this.#effects.sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kindOf(item).wire(item),
    })
  }

  /** It is never done, and stands incomplete in the response. */
  #cut(item: Item): void {
    item.status = 'incomplete'
    item.stage = 'cut'
    if (item.held !== '') this.#noticeCut(item, item.held)
  }

  #noticeCut(item: Item, dropped: string): void {
    this.#effects.notice('call_cut_off', 'name' in item ? item.name : item.type, dropped)
  }
}

/** The probabilities of the last tokens, as many as spell `length` UTF-16 units. */
function endingOf(logprobs: readonly Logprob[], length: number): Logprob[] {
  let from = logprobs.length
  for (let left = length; left > 0 && from > 0; left -= logprobs[from]?.token.length ?? 0) from--
  return logprobs.slice(from)
}
