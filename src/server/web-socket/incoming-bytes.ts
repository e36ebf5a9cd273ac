import type { ByteHold, Taken } from '../../byte-budget.js'
import { createFrameMeter } from './frame-meter.js'

/** As much of Node's socket as is used here. */
export interface ByteSocket {
  prependListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  removeAllListeners(event: 'data'): unknown
  resume(): unknown
}

/** Bytes of overhead for each frame that waits for the rest of its message. */
const FRAGMENT_BYTES = 256

/** Bytes are asked for in steps. */
const STEP = 16_384

/**
 * Counts what a connection has sent of a message that is not whole: only the socket holds it, and it may be 32 MiB. A
 * connection that sends nothing holds nothing.
 *
 * @param onRefused - called once, when there is no room for more. Later frames are discarded unread
 * @returns a function that stops counting
 */
export function countIncoming(
  socket: ByteSocket,
  held: ByteHold,
  onRefused: (taken: Exclude<Taken, 'taken'>) => void,
): () => void {
  const meter = createFrameMeter()
  function count(chunk: Uint8Array): void {
    meter.push(chunk)
    const wanted = Math.ceil((meter.bytes + meter.fragments * FRAGMENT_BYTES) / STEP) * STEP
    held.give(held.bytes - wanted)
    const taken = held.take(wanted - held.bytes)
    if (taken === 'taken') return
    socket.removeAllListeners('data')
    socket.resume()
    onRefused(taken)
  }
  // Before the reader of messages has the chunk.
  socket.prependListener('data', count)
  return () => {
    socket.off('data', count)
    held.end()
  }
}
