import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { DIAGNOSTICS } from '../diagnostics/index.js'
import type { HarmonyEvent, HarmonyHeader, Origin } from '../harmony/events.js'
import { markerId } from '../harmony/vocabulary.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { TokenRecord, TraceRecord } from './record.js'
import { type Trace, type Tracer, type TracerFactory, traceTo } from './tracer.js'

/** Options of a translator, or of `translateEntries`, that report {@link TraceRecord}s. */
export interface TraceRecords {
  /** The option of this name. */
  readonly trace: TracerFactory
  /** The option of this name. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void
}

/**
 * Reports all that became of each token, as plain JSON in order: tokens with log-probabilities, the parser's events,
 * whole messages, the response's events with all of their tokens, and diagnostics. Each call makes the options of one
 * translator. One that is restored from a snapshot does not know where earlier items began.
 *
 * @example
 * ```ts
 * import { loadTokenTable, Translator } from 'harmony-responses'
 * import { traceRecords } from 'harmony-responses/trace'
 *
 * const options = traceRecords((record) => {
 *   if (record.type === 'message') console.log(`tokens ${record.from} to ${record.to}: ${record.header.channel}`)
 * })
 * const translator = new Translator({ request, tokenTable: await loadTokenTable(), ...options })
 * send(translator.push(ids))
 * ```
 */
export function traceRecords(report: (record: TraceRecord) => void): TraceRecords {
  const ranges = new Ranges(report)
  const follow = traceTo((trace) => ranges.take(trace))
  return {
    trace(start) {
      ranges.tokenTable = start.tokenTable
      const tracer = follow(start)
      return {
        get deltaFrom() {
          return tracer.deltaFrom
        },
        before: (...args) => {
          ranges.begin()
          tracer.before(...args)
        },
        after: (state) => {
          ranges.end()
          tracer.after(state)
        },
        observe: (handler) => tracer.observe(handler),
        event: (...args) => tracer.event(...args),
      } satisfies Tracer
    },
    onDiagnostic: (diagnostic) =>
      report({ type: 'diagnostic', ...diagnostic, explanation: DIAGNOSTICS[diagnostic.code] }),
  }
}

/** The end of a text chunk whose rest is empty: its last message has ended. */
const AT_END = /<\|(?:end|call|return)\|>$/

const NO_TOKEN = { index: -1, token: null, text: '', origin: 'host' } as const

interface OpenMessage {
  readonly from: number
  readonly header: HarmonyHeader
  readonly origin: Origin
  /** Whether its item began. */
  hasItem: boolean
}

/** Finds the tokens of messages, and of the events of items. */
class Ranges {
  readonly #report: (record: TraceRecord) => void
  tokenTable: TokenTable | undefined
  /** Whether a token is being parsed. Otherwise the host does something. */
  #isInStep = false
  /** Whether the parser has reported something since the last token. */
  #isParsing = false
  #token: Pick<TokenRecord, 'index' | 'token' | 'text' | 'origin' | 'author'> = NO_TOKEN
  /** The first token after the last message, or -1. */
  #headFrom = -1
  /** The message that is open, or that ended with this token. */
  #message: OpenMessage | undefined
  #hasEnded = false
  /** The first tokens of items, by their ids; null for those that the host inserted. */
  readonly #items = new Map<string, number | null>()

  constructor(report: (record: TraceRecord) => void) {
    this.#report = report
  }

  /** A token begins. */
  begin(): void {
    this.#isInStep = true
  }

  /** A token ends. */
  end(): void {
    this.#isInStep = false
    this.#isParsing = false
  }

  take(trace: Trace): void {
    if (trace.type === 'token') this.#takeToken(trace)
    else if (trace.type === 'harmony') this.#takeHarmony(trace.event)
    else this.#takeEvent(trace)
  }

  #takeToken(token: TokenRecord): void {
    const { index, text, position } = token
    this.#token = token
    if (this.#hasEnded) this.#message = undefined
    this.#hasEnded = false
    const isStart = position === 'between' && text.startsWith('<|start|>')
    if (this.#headFrom < 0 || isStart) this.#headFrom = index
    const ids = token.token === null && token.origin === 'host' ? this.#idsOf(token) : undefined
    this.#report(ids === undefined ? token : { ...token, ids })
  }

  /** Returns the ids of the host's text. */
  #idsOf({ text, author }: TokenRecord): number[] | undefined {
    if (this.tokenTable === undefined) return undefined
    const encode = encoderOf(this.tokenTable)
    if (author !== undefined) return encode(text)
    return text.split(/(<\|\w+\|>)/).flatMap((part) => {
      const id = part.startsWith('<|') && part.endsWith('|>') ? markerId(part.slice(2, -2)) : undefined
      return id === undefined ? encode(part) : [id]
    })
  }

  #takeHarmony(event: HarmonyEvent): void {
    const { index } = this.#token
    this.#isParsing = true
    this.#report({ type: 'harmony', index, event })
    if (event.type === 'message_start') this.#begin(event.header, event.origin)
    else if (event.type === 'message_end') this.#close(event)
  }

  #begin(header: HarmonyHeader, origin: Origin): void {
    const { index } = this.#token
    this.#message = { from: this.#headFrom < 0 ? index : this.#headFrom, header, origin, hasItem: false }
    this.#hasEnded = false
  }

  #close({ terminator }: Extract<HarmonyEvent, { type: 'message_end' }>): void {
    const message = this.#message
    if (message === undefined) return
    const { index, token, text, origin, author } = this.#token
    const { from, header } = message
    // Ended by the next message, or by the host's, which begins with this token or within this text.
    const isByNext = terminator === 'implicit' || (terminator === 'turn' && origin !== message.origin)
    const isBefore = token !== null || author !== undefined || text.startsWith('<|start|>')
    const to = this.#isInStep && isByNext && isBefore ? index - 1 : index
    this.#report({ type: 'message', from, to: Math.max(from, to), origin: message.origin, header, terminator })
    this.#hasEnded = true
    const goesOn = isByNext || (token === null && author === undefined && !AT_END.test(text))
    this.#headFrom = this.#isInStep && goesOn ? index : -1
  }

  #takeEvent(record: Extract<Trace, { type: 'event' }>): void {
    const { event } = record
    if (event.type === 'response.output_item.added') this.#add(event.item.id)
    const { item_id, item } = event as { readonly item_id?: string; readonly item?: { readonly id?: string } }
    const first = this.#items.get(item_id ?? item?.id ?? '')
    if (first === null) this.#report({ ...record, inserted: true })
    else if (first === undefined || event.type.endsWith('.delta')) this.#report(record)
    else this.#report({ ...record, from: first })
  }

  #add(id: string | undefined): void {
    if (id === undefined) return
    const message = this.#message
    const isFromHost = message === undefined || message.hasItem || !(this.#isInStep || this.#isParsing)
    this.#items.set(id, isFromHost ? null : message.from)
    if (!isFromHost) message.hasItem = true
  }
}
