import { BaseReader } from './client.js'
import { recordThrown } from './thrown.js'

/** A reader of a client that throws at an unreadable value, and then stops. */
export abstract class ThrowingReader<Event> extends BaseReader<Event> {
  read(event: Event): void {
    if (this.isOver) return
    try {
      this.take(event)
    } catch (thrown) {
      this.#end(thrown)
    }
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    try {
      this.finish()
    } catch (thrown) {
      this.#end(thrown)
    }
  }

  /** Reads an event. Throws {@link Thrown} where the client throws. */
  protected abstract take(event: Event): void

  /** Ends the stream. Throws {@link Thrown} where the client throws. */
  protected abstract finish(): void

  #end(thrown: unknown): void {
    recordThrown(thrown, this.seen, this.reportBreak)
    this.isOver = true
  }
}
