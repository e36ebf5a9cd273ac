import type { IncomingMessage } from 'node:http'

/** A body during reading. */
export interface BodyRead {
  /** Resolves at the end of the body. Rejects if it breaks off, or with the error of `take`. */
  readonly done: Promise<void>
  /** Stops reading. */
  stop(): void
}

/** @param take - called with each chunk, in order */
export function readStream(body: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): BodyRead {
  const reader = body.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  async function readAll(): Promise<void> {
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) take(step.value)
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
export function readIncoming(incoming: IncomingMessage, take: (chunk: Uint8Array) => void): BodyRead {
  let stop = (): void => {}
  const done = new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      stop()
      settle()
    }
    const onData = (chunk: Uint8Array): void => {
      try {
        take(chunk)
      } catch (error) {
        end(() => reject(error))()
      }
    }
    const onEnd = end(resolve)
    const onError = (error: unknown): void => end(() => reject(error))()
    const onClose = end(() => reject(new Error('the client left')))
    stop = () => {
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      if (!incoming.readableEnded) incoming.pause()
    }
    if (incoming.destroyed) onClose()
    else incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
  return { done, stop: () => stop() }
}
