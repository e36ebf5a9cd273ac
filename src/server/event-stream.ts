import { createSseEncoder, SSE_DONE, type SseEvent } from '../sse/index.js'
import { framesOf, KEEP_ALIVE } from './frames.js'

type Batch = readonly SseEvent[]

export interface EventStreamOptions {
  /** Writes an event. Default: as server-sent events are written. */
  readonly encode?: (event: SseEvent) => string
  /** Whether `data: [DONE]` ends it. */
  readonly done: boolean
  /** A comment is sent when nothing else was for so long; 0 sends none. */
  readonly keepAliveMs: number
  /** Aborts when the client leaves: not every runtime cancels the body then. */
  readonly signal: AbortSignal
  /** Receives what the events threw: there is no status left to say so. */
  readonly report: (error: unknown) => void
  /** Called once: whether it was cut off. */
  readonly onEnd: (isAborted: boolean) => void
}

/** The events as bytes, at the reader's pace, with comments while nothing comes. */
export function eventStream(
  events: AsyncGenerator<Batch>,
  { encode = createSseEncoder(), done, keepAliveMs, signal, report, onEnd }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  let pending: Promise<IteratorResult<Batch>> | undefined
  let isOver = false
  let abort = (): void => {}
  const end = (isAborted: boolean): void => {
    isOver = true
    signal.removeEventListener('abort', abort)
    onEnd(isAborted)
  }
  const leave = (): void => {
    end(true)
    // Not awaited: a generator answers after its pending step.
    events.return(undefined).catch(() => {})
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          leave()
          controller.error(signal.reason)
        }
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort)
      },
      async pull(controller) {
        try {
          // A pull has to give something, and an encoder may have nothing to say of an event.
          for (let text = ''; text === ''; ) {
            pending ??= events.next()
            const step = await withinTime(pending, keepAliveMs)
            if (isOver) return
            if (step?.done) {
              if (done) controller.enqueue(utf8.encode(SSE_DONE))
              end(false)
              return controller.close()
            }
            text = step === undefined ? KEEP_ALIVE : framesOf(step.value, encode)
            if (step !== undefined) pending = undefined
            if (text !== '') controller.enqueue(utf8.encode(text))
          }
        } catch (error) {
          report(error)
          if (isOver) return
          leave()
          controller.error(error)
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}

/** What the promise resolves to, or undefined if it takes longer. */
async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms === 0) return await promise
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
