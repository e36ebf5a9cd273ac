import type { ReportBreak, Seen } from '../../clients/client.js'
import type { EventRef } from '../../clients/votes.js'
import { ChatAgreement } from './agreement.js'
import type { ChatClientModel, ChatClientReader } from './client.js'
import { compare } from './compare.js'

/** Reads one stream with a client's model. Reports each chunk that breaks the client, and at the end what it lost. */
export class ChatClientRun {
  readonly #model: ChatClientModel
  readonly #reader: ChatClientReader
  /** What the stream says as a whole. */
  readonly agreement: ChatAgreement = new ChatAgreement()
  readonly #report: ReportBreak
  #broke = false

  constructor(model: ChatClientModel, report: ReportBreak) {
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

  read(chunk: unknown, at: EventRef): void {
    this.agreement.take(chunk, at)
    this.#reader.read(chunk)
  }

  end(): void {
    this.#reader.end()
    const { seen } = this
    // The chunk that it threw at is reported already, and a missing result follows from that.
    if (seen.ending === 'threw' && this.#broke) return
    compare(seen, this.agreement, this.#model, this.#report)
  }
}
