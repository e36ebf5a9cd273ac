import type { IncomingMessage } from 'node:http'

/** A body that is being read. */
export interface BodyRead {
  /** Resolves when all of it was taken. Rejects if it breaks off, or with what `take` throws. */
  readonly done: Promise<void>
  /** Reads no more of it. */
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

/** Whether a body can be read from Node's own request: no reader has begun. */
export function isUnread(incoming: IncomingMessage | undefined): incoming is IncomingMessage {
  return incoming !== undefined && !incoming.readableDidRead && incoming.readableEncoding === null
}

/**
 * The same of Node's own request. A web stream of it takes a sixth of the processor time of a short answer.
 *
 * Does not destroy what it leaves unread: the answer goes out by the same socket, and the server closes that after it.
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
