import type { SseEvent } from '../sse/index.js'

/** As much may wait for a reader without being counted: what the system takes in any case. In bytes. */
export const UNCOUNTED_BYTES = 65_536

/** A comment, which no client sees. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** The frames of some events as one text; empty if the encoder has nothing to say of them. */
export function framesOf(events: readonly SseEvent[], encode: (event: SseEvent) => string): string {
  let text = ''
  for (const event of events) text += encode(event)
  return text
}
