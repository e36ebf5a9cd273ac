import type { HarmonyHeader, Origin } from '../../../../core/harmony/events.js'
import type { EventRecord, MessageRecord, TokenRecord, TraceRecord } from '../../../../core/trace/record.js'
import { merged } from '../../../../shared/merged.js'
import { createEventFilter } from '../items/hidden-calls.js'
import type { HiddenRecord } from './response-trace.js'
import type { TraceWindow } from './window.js'

/** What a server does not show to clients. */
export interface HiddenContent {
  /** The model's reasoning. */
  readonly reasoning: boolean
  /** The calls of tools that the request does not declare, and their results. */
  readonly calls: boolean
}

/** Returns a function that adds records to a window, without what is hidden; and one for the end of the records. */
export function hidingRecorder(
  hiding: HiddenContent,
  window: TraceWindow,
): { readonly take: (record: TraceRecord) => void; readonly end: () => void } {
  const hider = hiding.reasoning || hiding.calls ? new Hider(hiding, window) : undefined
  return {
    take(record) {
      if (record.type === 'token') window.tokens += 1
      if (hider !== undefined) hider.take(record)
      else if (window.has(record)) window.records.push(record)
    },
    end: () => hider?.end(),
  }
}

/**
 * Hides whole messages: one is shown only if it has become an item that its client is shown, or if it is the result of
 * such a call. Until that is known, its records are held back.
 */
class Hider {
  readonly #hiding: HiddenContent
  readonly #window: TraceWindow
  readonly #eventFor: (event: EventRecord['event']) => EventRecord['event'] | undefined
  #state: 'undecided' | 'shown' | 'hidden' = 'undecided'
  #held: TraceRecord[] = []
  #header: HarmonyHeader | undefined
  /** The recipients of the calls that are shown, which are the authors of their results. */
  readonly #shown = new Set<string>()
  #run: { from: number; to: number; readonly origin: Origin } | undefined

  constructor(hiding: HiddenContent, window: TraceWindow) {
    this.#hiding = hiding
    this.#window = window
    this.#eventFor = hiding.calls ? createEventFilter() : (event) => event
  }

  take(record: TraceRecord): void {
    if (record.type === 'event') this.#takeEvent(record)
    else if (record.type === 'message') this.#takeMessage(record)
    else {
      if (record.type === 'harmony' && record.event.type === 'message_start') this.#header = record.event.header
      this.#add(record)
    }
  }

  end(): void {
    this.#decide('hidden')
    this.#endRun()
  }

  #takeEvent(record: EventRecord): void {
    const event = this.#eventFor(record.event)
    const isFirst = record.event.type === 'response.output_item.added' && record.inserted !== true
    if (isFirst && this.#state === 'undecided' && this.#header !== undefined) {
      const isShown = event !== undefined && this.#shows(record.event, this.#header)
      this.#decide(isShown ? 'shown' : 'hidden', record.from)
    }
    if (event !== undefined) this.#add(event === record.event ? record : merged(record, { event }))
  }

  #shows(event: EventRecord['event'], { channel, recipient }: HarmonyHeader): boolean {
    if (!this.#hiding.reasoning) return true
    const isReasoning = event.type === 'response.output_item.added' && event.item.type === 'reasoning'
    return !isReasoning && (recipient !== undefined || channel === 'final' || channel === 'commentary')
  }

  #takeMessage(record: MessageRecord): void {
    if (this.#state === 'undecided') this.#decide(this.#showsHosts(record) ? 'shown' : 'hidden', record.from)
    const { recipient } = record.header
    if (this.#state === 'shown' && recipient !== undefined) this.#shown.add(recipient)
    this.#add(record)
    this.#state = 'undecided'
    this.#header = undefined
  }

  /** Whether a message without an item is shown. */
  #showsHosts({ origin, header: { role, name = '' } }: MessageRecord): boolean {
    if (origin !== 'host') return false
    return !this.#hiding.calls || (role === 'tool' && this.#shown.has(name))
  }

  #decide(state: 'shown' | 'hidden', from = Number.POSITIVE_INFINITY): void {
    this.#state = state
    const held = this.#held
    this.#held = []
    // What the model wrote before the message is in no item.
    for (const record of held) this.#put(record, state === 'shown' && ('to' in record || record.index >= from))
  }

  #add(record: TraceRecord): void {
    if (!this.#window.has(record)) return
    if (this.#state === 'undecided') this.#held.push(record)
    else this.#put(record, this.#state === 'shown')
  }

  #put(record: TraceRecord, isShown: boolean): void {
    if (isShown || record.type === 'event') {
      this.#endRun()
      this.#window.records.push(record)
    } else if (record.type === 'token') this.#hide(record)
  }

  #hide({ index, origin }: TokenRecord): void {
    const run = this.#run
    if (run?.to === index - 1 && run.origin === origin) run.to = index
    else {
      this.#endRun()
      this.#run = { from: index, to: index, origin }
    }
  }

  #endRun(): void {
    if (this.#run === undefined) return
    const { from, to } = this.#run
    const record: HiddenRecord = { type: 'hidden', ...this.#run, tokens: to - from + 1 }
    this.#run = undefined
    this.#window.records.push(record)
  }
}
