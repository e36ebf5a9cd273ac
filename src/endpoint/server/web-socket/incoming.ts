import type { Pause } from '../../../shared/slices.js'

/** The client's messages, each read in a turn of its own, so that other work runs first. */
export interface Incoming<Data> {
  add(data: Data): void
  /** Whether everything that arrived was read. */
  readonly isIdle: boolean
  /** Forgets unread messages. */
  clear(): void
}

export interface IncomingOptions<Data> {
  /** The maximum number of messages that may wait to be read. */
  readonly max: number
  /** Reads one message. Resolves when the next may be read. */
  readonly read: (data: Data) => void | Promise<void>
  readonly pause: Pause
  /**
   * Pauses and resumes reading, while the system buffers the messages of the client. Undefined if the runtime cannot.
   */
  readonly hold: ((isHeld: boolean) => void) | undefined
  /** Called when too many wait and the client cannot be paused. */
  readonly onFlood: () => void
  readonly onIdle: () => void
  readonly onError: (error: unknown) => void
}

export function createIncoming<Data>(options: IncomingOptions<Data>): Incoming<Data> {
  const { max, read, pause, hold, onFlood, onIdle, onError } = options
  let waiting: Data[] = []
  let isReading = false
  let isHeld = false

  async function readAll(): Promise<void> {
    isReading = true
    while (waiting.length > 0) {
      try {
        await read(waiting.shift() as Data)
      } catch (error) {
        onError(error)
      }
      await pause()
      if (isHeld && waiting.length <= max / 2) {
        isHeld = false
        hold?.(false)
      }
    }
    isReading = false
    onIdle()
  }

  return {
    add(data) {
      waiting.push(data)
      // Messages that the system has already delivered still arrive after a pause. They are bounded.
      if (waiting.length > max && !isHeld) {
        if (hold === undefined) return onFlood()
        isHeld = true
        hold(true)
      }
      if (!isReading) readAll()
    },
    get isIdle() {
      return !isReading
    },
    clear() {
      waiting = []
    },
  }
}
