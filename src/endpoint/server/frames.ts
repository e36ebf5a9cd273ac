import type { SseEvent } from '../../core/sse/index.js'

/** Events that are sent together. */
export type SseBatch = readonly SseEvent[]

/** Unread bytes that are not counted: the system buffers that much in any case. */
export const UNCOUNTED_BYTES = 65_536

/** A comment, which clients ignore. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** Encodes events as one text of frames; empty if the encoder skips all of them. */
export function framesOf(events: SseBatch, encode: (event: SseEvent) => string): string {
  let text = ''
  for (const event of events) text += encode(event)
  return text
}
