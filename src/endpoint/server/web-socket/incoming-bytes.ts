import type { ByteHold, Taken } from '../../flow/byte-budget.js'
import { createFrameMeter } from './frame-meter.js'

/** The part of Node's socket that is used here. */
export interface ByteSocket {
  prependListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  removeAllListeners(event: 'data'): unknown
  resume(): unknown
}

/** Bytes of overhead for each frame that waits for the rest of its message. */
const FRAGMENT_BYTES = 256

/** Bytes are reserved in steps of this size. */
const STEP = 16_384

/**
 * Counts the bytes of incomplete messages, which only the socket holds, and which may be 32 MiB. An idle connection
 * holds nothing.
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
    const target = Math.ceil((meter.bytes + meter.fragments * FRAGMENT_BYTES) / STEP) * STEP
    held.give(held.bytes - target)
    const taken = held.take(target - held.bytes)
    if (taken === 'taken') return
    socket.removeAllListeners('data')
    socket.resume()
    onRefused(taken)
  }
  // Prepended, so that it runs before the reader of messages.
  socket.prependListener('data', count)
  return () => {
    socket.off('data', count)
    held.end()
  }
}
