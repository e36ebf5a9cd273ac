import type { StreamEvent } from '../stream-event.js'
import { Agreement } from './agreement.js'
import type { Breaks, ClientModel, ClientReader } from './client.js'
import { compare } from './compare.js'

/** One stream, read by a client's model: reports where the client breaks, and at the end what it lost. */
export class ClientRun {
  readonly #model: ClientModel
  readonly #reader: ClientReader
  readonly #agreed = new Agreement()
  readonly #report: Breaks
  #broke = false

  constructor(model: ClientModel, report: Breaks) {
    this.#model = model
    this.#report = report
    this.#reader = model.begin((...found) => {
      this.#broke = true
      report(...found)
    })
  }

  /** @param position - the number of the event */
  read(event: StreamEvent, position?: number): void {
    this.#agreed.take(event, position)
    this.#reader.read(event)
  }

  end(): void {
    this.#agreed.end()
    this.#reader.end()
    const { seen } = this.#reader
    // What it threw at is reported already; that it has no result follows from it.
    if (seen.ending === 'threw' && this.#broke) return
    compare(seen, this.#agreed, this.#model, this.#report)
  }
}
