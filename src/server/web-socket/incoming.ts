import type { Pause } from '../../slices.js'

/** What a client sends: read message by message, each in a turn of its own, so that others go first. */
export interface Incoming<Data> {
  add(data: Data): void
  /** Whether all that came was read. */
  readonly isIdle: boolean
  /** Forgets what was not read. */
  clear(): void
}

export interface IncomingOptions<Data> {
  /** How many messages may wait to be read. */
  readonly most: number
  /** Reads one. Resolves when the next may be read. */
  readonly read: (data: Data) => void | Promise<void>
  readonly pause: Pause
  /** Has the system keep what the client sends from now on, and go on. Undefined where the runtime cannot. */
  readonly hold: ((isHeld: boolean) => void) | undefined
  /** Called where more wait than may and the client cannot be held up. */
  readonly onFlood: () => void
  readonly onIdle: () => void
  readonly onError: (error: unknown) => void
}

export function createIncoming<Data>(options: IncomingOptions<Data>): Incoming<Data> {
  const { most, read, pause, hold, onFlood, onIdle, onError } = options
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
      if (isHeld && waiting.length <= most / 2) {
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
      // The system has given a part of what the client sent already: it comes to an end by itself.
      if (waiting.length > most && !isHeld) {
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
