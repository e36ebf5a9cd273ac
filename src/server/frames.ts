import type { SseEvent } from '../sse/index.js'

/** A comment, which no client sees. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** The frames of some events as one text; empty if the encoder has nothing to say of them. */
export function framesOf(events: readonly SseEvent[], encode: (event: SseEvent) => string): string {
  let text = ''
  for (const event of events) text += encode(event)
  return text
}
