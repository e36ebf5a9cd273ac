import type { ClientReader, ReportBreak, Seen } from './client.js'
import type { TextHash } from './text-hash.js'
import type { EventRef } from './votes.js'

/** The content of a stream as a whole, regardless of the client. */
export interface StreamAgreement<Event> {
  /** The text and the reasoning so far, in the order of the stream; absent where it is known only at the end. */
  readonly streamed?: TextHash
  readonly thought?: TextHash
  /** @param position - the number of the event, from 0 */
  take(event: Event, position: number): void
  /** Ends the stream; absent if nothing depends on that. */
  end?(): void
}

/** A model that reads a stream, and the expected content for comparison. */
export interface RunOptions<Event, Agreed extends StreamAgreement<Event>> {
  readonly model: { begin(reportBreak: ReportBreak): ClientReader<Event> }
  readonly agreement: Agreed
  /** Reports where the client's view differs from the stream. */
  compare(seen: Seen, agreement: Agreed, report: ReportBreak): void
  readonly report: ReportBreak
  /** The type of an event, for messages. */
  readonly typeOf?: (event: Event) => string | undefined
}

/** Reads one stream with a client's model. Reports each event that breaks the client, and its losses at the end. */
export class ClientRun<Event, Agreed extends StreamAgreement<Event>> {
  /** The content of the stream as a whole. Complete after `end()`. */
  readonly agreement: Agreed
  readonly #options: RunOptions<Event, Agreed>
  readonly #reader: ClientReader<Event>
  #broke = false
  /** The events since which the client shows another text, and other reasoning, than the stream states. */
  readonly #divergedAt: { text?: EventRef | undefined; reasoning?: EventRef | undefined } = {}

  constructor(options: RunOptions<Event, Agreed>) {
    this.agreement = options.agreement
    this.#options = options
    this.#reader = options.model.begin((...found) => {
      this.#broke = true
      options.report(...found)
    })
  }

  /** The client's view. Complete after `end()`. */
  get seen(): Seen {
    return this.#reader.seen
  }

  /** @param position - the number of the event, from 0 */
  read(event: Event, position: number): void {
    const { agreement } = this
    agreement.take(event, position)
    this.#reader.read(event)
    if (agreement.streamed !== undefined) this.#compare('text', agreement.streamed, this.seen.streamed, event, position)
    if (agreement.thought !== undefined)
      this.#compare('reasoning', agreement.thought, this.seen.reasoning, event, position)
  }

  #compare(what: 'text' | 'reasoning', stated: TextHash, shown: TextHash, event: Event, position: number): void {
    if (stated.equals(shown)) this.#divergedAt[what] = undefined
    else this.#divergedAt[what] ??= { position, type: this.#options.typeOf?.(event) ?? '' }
  }

  /** The event to name for a loss that no other place is known for. */
  #placeOf(rule: string): EventRef | undefined {
    if (/-client-(?:text|result)$/.test(rule)) return this.#divergedAt.text
    return rule.endsWith('-client-reasoning') ? this.#divergedAt.reasoning : undefined
  }

  end(): void {
    this.agreement.end?.()
    this.#reader.end()
    const { seen, agreement } = this
    // The event that it threw at is reported already, and a missing result follows from that.
    if (seen.ending === 'threw' && this.#broke) return
    const { compare, report } = this.#options
    compare(seen, agreement, (rule, expected, got, words, at) =>
      report(rule, expected, got, words, at ?? this.#placeOf(rule)),
    )
  }
}
