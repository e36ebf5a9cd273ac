import type { IncomingMessage } from 'node:http'

/** A body during reading. */
export interface BodyRead {
  /** Resolves at the end of the body. Rejects if it breaks off, or with the error of `take`. */
  readonly done: Promise<void>
  /** Stops reading. */
  stop(): void
}

/** Takes a chunk. No other is read before its promise resolves. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>

/** @param take - called with each chunk, in order */
export function readStream(body: ReadableStream<Uint8Array>, take: TakeChunk): BodyRead {
  const reader = body.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  async function readAll(): Promise<void> {
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        const taken = take(step.value)
        if (taken !== undefined) await taken
      }
    } catch (error) {
      stop()
      throw error
    }
  }
  return { done: readAll(), stop }
}

/** Whether the body can be read from Node's own request: no other reader has begun. */
export function isUnread(incoming: IncomingMessage | undefined): incoming is IncomingMessage {
  return incoming !== undefined && !incoming.readableDidRead && incoming.readableEncoding === null
}

/**
 * Reads Node's own request: a web stream of it would take a sixth of the processor time of a short answer.
 *
 * Does not destroy an unread rest: the answer uses the same socket, which the server closes after it.
 */
export function readIncoming(incoming: IncomingMessage, take: TakeChunk): BodyRead {
  let stop = (): void => {}
  let isStopped = false
  let pending: Promise<void> = Promise.resolve()
  const done = new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      stop()
      settle()
    }
    const onData = (chunk: Uint8Array): void => {
      try {
        const taken = take(chunk)
        if (taken === undefined) return
        pending = taken
        incoming.pause()
        // Whoever discards the rest resumes it from then on.
        taken.then(() => void (isStopped || incoming.resume()), onError)
      } catch (error) {
        onError(error)
      }
    }
    // The end can come before the last chunk is taken, in spite of the pause.
    const onEnd = (): void => {
      incoming.off('close', onClose)
      pending.then(end(resolve), onError)
    }
    const onError = (error: unknown): void => end(() => reject(error))()
    const onClose = end(() => reject(new Error('the client left')))
    stop = () => {
      isStopped = true
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      if (!incoming.readableEnded) incoming.pause()
    }
    if (incoming.destroyed) onClose()
    else incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
  return { done, stop: () => stop() }
}
