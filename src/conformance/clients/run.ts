import type { StreamEvent } from '../stream-event.js'
import { Agreement } from './agreement.js'
import type { ClientModel, ClientReader, ReportBreak, Seen } from './client.js'
import { compare } from './compare.js'

/** Reads one stream with a client's model. Reports each event that breaks the client, and at the end what it lost. */
export class ClientRun {
  readonly #model: ClientModel
  readonly #reader: ClientReader
  /** What the stream says as a whole. Complete after `end()`. */
  readonly agreement: Agreement = new Agreement()
  readonly #report: ReportBreak
  #broke = false

  constructor(model: ClientModel, report: ReportBreak) {
    this.#model = model
    this.#report = report
    this.#reader = model.begin((...found) => {
      this.#broke = true
      report(...found)
    })
  }

  /** What the client saw. Complete after `end()`. */
  get seen(): Seen {
    return this.#reader.seen
  }

  /** @param position - the number of the event, from 0 */
  read(event: StreamEvent, position?: number): void {
    this.agreement.take(event, position)
    this.#reader.read(event)
  }

  end(): void {
    this.agreement.end()
    this.#reader.end()
    const { seen } = this
    // The event that it threw at is reported already, and a missing result follows from that.
    if (seen.ending === 'threw' && this.#broke) return
    compare(seen, this.agreement, this.#model, this.#report)
  }
}
