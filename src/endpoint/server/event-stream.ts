import { SSE_DONE } from '../../core/sse/index.js'
import { EventSender, type SenderOptions, type SentEvents } from './event-sender.js'

export interface EventStreamOptions extends SenderOptions {
  /** Whether `data: [DONE]` ends it. */
  readonly done: boolean
  /** Aborts when the client leaves, because not every runtime cancels the body then. */
  readonly signal: AbortSignal
  /** Receives errors of the events, for which there is no status any more. */
  readonly report: (error: unknown) => void
  /** Called once, with whether the stream was cut off. */
  readonly onEnd: (isAborted: boolean) => void
}

/** Streams the events as bytes, at the reader's pace and one batch ahead of it, with comments during silence. */
export function eventStream(
  events: SentEvents,
  { done, signal, report, onEnd, ...options }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  let stream!: ReadableStreamDefaultController<Uint8Array>
  let hasBegun = false
  /** Answers the last `pull`. */
  let answer = (): void => {}
  const sender = new EventSender(
    events,
    {
      write(text) {
        const bytes = utf8.encode(text)
        stream.enqueue(bytes)
        if (hasRoom(stream)) return 0
        answer()
        return bytes.length
      },
      cutOff: () => cutOff(new Error('the client reads too slowly')),
    },
    options,
  )
  const abort = (): void => cutOff(signal.reason)
  const end = (isAborted: boolean): void => {
    signal.removeEventListener('abort', abort)
    onEnd(isAborted)
  }
  const leave = (): void => {
    sender.leave()
    end(true)
  }
  const cutOff = (error: unknown): void => {
    leave()
    stream.error(error)
  }

  async function send(): Promise<void> {
    try {
      await sender.send()
      if (sender.hasLeft) return
      if (done) stream.enqueue(utf8.encode(SSE_DONE))
      await sender.close()
      end(false)
      stream.close()
    } catch (error) {
      report(error)
      if (!sender.hasLeft) cutOff(error)
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = controller
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort)
      },
      // Answered once the reader is behind: until then, it would be called for each token, which costs some promises.
      pull() {
        // Made first: the events may fill the stream before `send` returns.
        const answered = new Promise<void>((resolve) => {
          answer = resolve
        })
        sender.caughtUp()
        if (!hasBegun) send()
        hasBegun = true
        return answered
      },
      cancel: leave,
    },
    // Room for one batch: a reader that keeps up requests the next one while it is given this one. Without it, each
    // batch would wait for a promise of the reader, in every layer down to the engine.
    { highWaterMark: 1 },
  )
}

function hasRoom({ desiredSize }: ReadableStreamDefaultController<Uint8Array>): boolean {
  return desiredSize !== null && desiredSize > 0
}
