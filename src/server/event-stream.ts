import type { ByteHold } from '../byte-budget.js'
import { createSseEncoder, SSE_DONE, type SseEvent } from '../sse/index.js'
import { framesOf, KEEP_ALIVE, UNCOUNTED_BYTES } from './frames.js'
import { idleInterval } from './idle-interval.js'
import { readerOf } from './reader.js'

type Batch = readonly SseEvent[]

export interface EventStreamOptions {
  /** Writes an event. Default: as server-sent events are written. */
  readonly encode?: (event: SseEvent) => string
  /** Whether `data: [DONE]` ends it. */
  readonly done: boolean
  /** A comment is sent when nothing else was for so long, at the latest after twice as long; 0 sends none. */
  readonly keepAliveMs: number
  /** Makes what is sent when nothing else was for `keepAliveMs`. Default: a comment. */
  readonly keepAlive?: () => string
  /** Aborts when the client leaves: not every runtime cancels the body then. */
  readonly signal: AbortSignal
  /** Receives what the events threw: there is no status left to say so. */
  readonly report: (error: unknown) => void
  /** Called once: whether it was cut off. */
  readonly onEnd: (isAborted: boolean) => void
  /** Where what the client has not read is counted; one that leaves more unread than there is room for is cut off. */
  readonly unread?: ByteHold
}

/** The events as bytes, at the reader's pace and one batch ahead of it, with comments while nothing comes. */
export function eventStream(
  events: AsyncGenerator<Batch>,
  {
    encode = createSseEncoder(),
    done,
    keepAliveMs,
    keepAlive = () => KEEP_ALIVE,
    signal,
    report,
    onEnd,
    unread,
  }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  const reader = readerOf(events)
  let hasBegun = false
  let isOver = false
  /** Whether there is room for bytes. */
  let isAsked = false
  let isSilent = true
  let timer: ReturnType<typeof setInterval> | undefined
  let abort = (): void => {}
  let resume = (): void => {}

  const end = (isAborted: boolean): void => {
    isOver = true
    clearInterval(timer)
    unread?.end()
    signal.removeEventListener('abort', abort)
    onEnd(isAborted)
  }
  const leave = (): void => {
    end(true)
    resume()
    // Not awaited: a generator answers after its pending step.
    reader.leave().catch(() => {})
  }

  async function send(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      await reader.drainTo((batch) => {
        const text = isOver ? '' : framesOf(batch, encode)
        // An encoder may have nothing to say of an event.
        if (text === '') return
        isSilent = false
        isAsked = false
        const bytes = utf8.encode(text)
        controller.enqueue(bytes)
        if (isAsked) return
        if (bytes.length > UNCOUNTED_BYTES && unread !== undefined && unread.take(bytes.length) !== 'taken') {
          leave()
          controller.error(new Error('the client reads too slowly'))
          return
        }
        return new Promise<void>((resolve) => {
          resume = resolve
        })
      })
      if (isOver) return
      if (done) controller.enqueue(utf8.encode(SSE_DONE))
      end(false)
      controller.close()
    } catch (error) {
      report(error)
      if (isOver) return
      leave()
      controller.error(error)
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          leave()
          controller.error(signal.reason)
        }
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort)
        if (keepAliveMs === 0) return
        timer = idleInterval(() => {
          if (isAsked && isSilent) {
            isAsked = false
            controller.enqueue(utf8.encode(keepAlive()))
          }
          isSilent = true
        }, keepAliveMs)
      },
      pull(controller) {
        isAsked = true
        unread?.give(unread.bytes)
        resume()
        if (!hasBegun) send(controller)
        hasBegun = true
      },
      cancel: leave,
    },
    // Room for one batch: a reader that keeps up then asks for the next one while it is given this one. Without it, each
    // batch waits for a promise of the reader's, in every layer down to the engine.
    { highWaterMark: 1 },
  )
}
