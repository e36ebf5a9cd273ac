import type { Recipient } from '../recipients/recipient.js'
import { recipientKey } from '../recipients/recipient.js'
import type { Logprob, OutputItem } from '../responses/items.js'
import type { NoticeCode } from './diagnostics.js'
import { type CallResult, createItem, type Effects, type Item, type ItemType, kindOf } from './items/item.js'
import type { Sequencer } from './sequencer.js'
import { appendText, createTextBuffer, textOf } from './text-buffer.js'

/** The state of an {@link Output}. Plain JSON. */
export interface OutputSnapshot {
  readonly items: readonly Item[]
  /** The item that is being written: its output index, the silent item itself, or null. */
  readonly current: number | Item | null
  readonly logprobs: readonly Logprob[]
}

/** What an output needs of its translator, beside what its items may do. */
export interface OutputEffects extends Effects {
  notice(code: NoticeCode, subject: string, text?: string): void
  /** The text that was gathered is sent. */
  flushed(): void
}

/**
 * The output of a response while it is made: its items, and every event about them. What is in the terminal response is
 * what was streamed, because it is written from the same items.
 */
export class Output {
  readonly #effects: OutputEffects
  readonly #sequencer: Sequencer
  /** Whether the client's calls are announced only when they are whole. */
  readonly #isWhole: boolean
  /** Every announced item, by output index. */
  readonly #items: Item[] = []
  #current: Item | null = null
  /** Text of the current item that is in no delta yet: a push gives one delta per part. */
  #text = ''
  #logprobs: Logprob[] = []

  constructor(effects: OutputEffects, sequencer: Sequencer, isWhole: boolean, snapshot?: OutputSnapshot) {
    this.#effects = effects
    this.#sequencer = sequencer
    this.#isWhole = isWhole
    if (snapshot === undefined) return
    this.#items.push(...snapshot.items)
    this.#current = typeof snapshot.current === 'number' ? (this.#items[snapshot.current] ?? null) : snapshot.current
    this.#logprobs = [...snapshot.logprobs]
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
    const isLate = kind.opens === 'terminator' || (this.#isWhole && kind.isRunByClient)
    if (!isLate) this.#announce(item)
  }

  /** More text of it. */
  write(text: string): void {
    this.#text += text
  }

  /** Probabilities of tokens of it. They go out with the delta that their text is in. */
  score(logprobs: readonly Logprob[]): void {
    this.#logprobs.push(...logprobs)
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
    this.#effects.flushed()
  }

  /** The message has ended: as it should, or cut off. */
  end(item: Item, outcome: 'completed' | 'incomplete'): void {
    const kind = kindOf(item)
    this.flush()
    if (outcome === 'completed' && item.stage === 'silent') this.#announceWhole(item)
    this.#current = null
    if (item.stage === 'silent') this.#noticeCut(item)
    else if (outcome === 'incomplete' && kind.isRunByClient) {
      // Clients run a call at its output_item.done: a cut one must not get there. It stands in the last response only.
      item.status = 'incomplete'
      item.stage = 'cut'
    } else if (kind.close(item, outcome, this.#effects) === 'waiting') item.stage = 'waiting'
    else this.#finish(item)
  }

  /** The result of a waiting call came; null where none ever will. */
  settle(item: Item, result: CallResult | null): void {
    kindOf(item).settle(item, result, this.#effects)
    this.#finish(item)
  }

  /** The response failed: nothing more is closed, and what is open stands incomplete. */
  abandon(): void {
    for (const item of this.#items) {
      if (item.stage !== 'writing' && item.stage !== 'waiting') continue
      item.status = 'incomplete'
      item.stage = 'cut'
    }
    if (this.#current?.stage === 'silent') this.#noticeCut(this.#current)
    this.#current = null
  }

  snapshot(): OutputSnapshot {
    const current = this.#current
    return {
      items: this.#items,
      current: current === null || current.stage === 'silent' ? current : current.outputIndex,
      logprobs: this.#logprobs,
    }
  }

  #announce(item: Item): void {
    const kind = kindOf(item)
    item.id = this.#sequencer.id(kind.prefix)
    if ('callId' in item) item.callId = this.#sequencer.id('call')
    item.outputIndex = this.#sequencer.outputIndex()
    this.#items.push(item)
    this.#effects.write({
      type: 'response.output_item.added',
      sequence_number: this.#sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kind.wire(item),
    })
    item.stage = 'writing'
    kind.open(item, this.#effects)
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
      sequence_number: this.#sequencer.sequenceNumber(),
      output_index: item.outputIndex,
      item: kindOf(item).wire(item),
    })
  }

  #noticeCut(item: Item): void {
    this.#effects.notice('call_cut_off', 'name' in item ? item.name : item.type, textOf(item.text))
  }
}
