import { SSE_DONE } from '../../core/sse/index.js'
import type { ByteHold } from '../flow/byte-budget.js'
import {
  createFrameEncoder,
  type Encode,
  framesOf,
  KEEP_ALIVE,
  type SseBatch,
  UNCOUNTED_BYTES,
  writeFrames,
} from './frames.js'
import { idleInterval } from './idle-interval.js'
import { type Reader, readerOf } from './reader.js'

export interface EventStreamOptions {
  /** Encodes an event. Default: as server-sent events. */
  readonly encode?: Encode
  /** Whether `data: [DONE]` ends it. */
  readonly done: boolean
  /** A comment is sent after this much silence, at the latest after twice as much; 0 sends none. */
  readonly keepAliveMs: number
  /** Returns the text to send after `keepAliveMs` of silence. Default: a comment. */
  readonly keepAlive?: () => string
  /** Aborts when the client leaves, because not every runtime cancels the body then. */
  readonly signal: AbortSignal
  /** Receives errors of the events, for which there is no status any more. */
  readonly report: (error: unknown) => void
  /** Called once, with whether the stream was cut off. */
  readonly onEnd: (isAborted: boolean) => void
  /** Counts unread bytes; a client that leaves more unread than there is room for is cut off. */
  readonly unread?: ByteHold
}

/** Streams the events as bytes, at the reader's pace and one batch ahead of it, with comments during silence. */
export function eventStream(
  events: AsyncGenerator<SseBatch> | Reader<SseBatch>,
  {
    encode = createFrameEncoder(),
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
  /** Whether the events wait for room. */
  let isBehind = false
  let isSilent = true
  let timer: ReturnType<typeof setInterval> | undefined
  let abort = (): void => {}
  let resume = (): void => {}
  let release = (): void => {}

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
      const write = (text: string): Promise<void> | undefined => {
        isSilent = false
        const bytes = utf8.encode(text)
        controller.enqueue(bytes)
        if (hasRoom(controller)) return undefined
        if (bytes.length > UNCOUNTED_BYTES && unread !== undefined && unread.take(bytes.length) !== 'taken') {
          leave()
          controller.error(new Error('the client reads too slowly'))
          return undefined
        }
        isBehind = true
        release()
        return new Promise<void>((resolve) => {
          resume = resolve
        })
      }
      const writer = { write, hasLeft: () => isOver }
      await reader.drainTo((batch) => (isOver ? undefined : writeFrames(framesOf(batch, encode), writer)))
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
          if (isSilent && hasRoom(controller)) controller.enqueue(utf8.encode(keepAlive()))
          isSilent = true
        }, keepAliveMs)
      },
      // Answered once the reader is behind: until then, it would be called for each token, which costs some promises.
      pull(controller) {
        // Made first: the events may fill the stream before `send` returns.
        const answered = new Promise<void>((resolve) => {
          release = resolve
        })
        if (isBehind) {
          isBehind = false
          unread?.give(unread.bytes)
          resume()
        }
        if (!hasBegun) send(controller)
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
