import type { ByteHold } from '../../flow/byte-budget.js'
import { UNCOUNTED_BYTES } from '../frames.js'
import type { Peer } from './peer.js'

/** The frames to a client. */
export interface Outbox {
  /** Sends a frame, and waits while the client is behind, so that unread events are not generated. */
  send(text: string): Promise<void> | undefined
  /** Sends frames for which no response waits. A client that keeps causing them without reading is disconnected. */
  sendNow(text: string): void
  /** Stops waiting for the client, and leaves unread frames to the system. */
  hurry(): void
}

/** The limit of unread frames for which no response waits, in characters. */
const MAX_UNREAD = 4_194_304

/**
 * @param gone - aborts when the client has left
 * @param bytes - counts unread bytes; a client that leaves more unread than there is room for is cut off
 */
export function createOutbox(peer: Peer, gone: AbortSignal, bytes: ByteHold): Outbox {
  const held = new Set<() => void>()
  let isHurried = false
  let unread = 0

  function send(text: string): Promise<void> | undefined {
    if (gone.aborted) return undefined
    const caughtUp = peer.send(text)
    if (caughtUp === undefined || isHurried) return undefined
    const counted = text.length > UNCOUNTED_BYTES ? text.length : 0
    if (bytes.take(counted) !== 'taken') {
      peer.terminate()
      return undefined
    }
    return new Promise((resolve) => {
      held.add(resolve)
      caughtUp.then(() => {
        held.delete(resolve)
        bytes.give(counted)
        resolve()
      })
    })
  }
  function sendNow(text: string): void {
    if (unread > 0 && unread + text.length > MAX_UNREAD) {
      peer.terminate()
      return
    }
    const read = send(text)
    if (read === undefined) return
    unread += text.length
    read.then(() => {
      unread -= text.length
    })
  }
  function hurry(): void {
    isHurried = true
    for (const resolve of held) resolve()
    held.clear()
  }
  gone.addEventListener('abort', hurry)
  return { send, sendNow, hurry }
}
