import type { ClientReader, ReportBreak, Seen } from './client.js'

/** The content of a stream as a whole, regardless of the client. */
export interface StreamAgreement<Event> {
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
}

/** Reads one stream with a client's model. Reports each event that breaks the client, and its losses at the end. */
export class ClientRun<Event, Agreed extends StreamAgreement<Event>> {
  /** The content of the stream as a whole. Complete after `end()`. */
  readonly agreement: Agreed
  readonly #options: RunOptions<Event, Agreed>
  readonly #reader: ClientReader<Event>
  #broke = false

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
    this.agreement.take(event, position)
    this.#reader.read(event)
  }

  end(): void {
    this.agreement.end?.()
    this.#reader.end()
    const { seen, agreement } = this
    // The event that it threw at is reported already, and a missing result follows from that.
    if (seen.ending === 'threw' && this.#broke) return
    const { compare, report } = this.#options
    compare(seen, agreement, report)
  }
}
