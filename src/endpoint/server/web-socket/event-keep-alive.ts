import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import { idleInterval } from '../idle-interval.js'
import { KeepAlives } from '../keep-alive-event.js'

/** The keep-alives of one response on a socket. */
export interface EventKeepAlive {
  /** Sends the frame of an event, and waits if the client is behind. */
  send(event: ResponseStreamEvent, frame: string): Promise<void>
  stop(): void
}

/**
 * Sends an event after each silence.
 *
 * @param ms - the length of a silence; 0 sends none
 * @param send - sends a frame; returns a promise if the client is behind
 * @param encode - returns the frame of an event
 */
export function eventKeepAlive(
  ms: number,
  send: (frame: string) => Promise<void> | undefined,
  encode: (event: object) => string,
): EventKeepAlive {
  const alive = new KeepAlives()
  let isSilent = true
  /** Whether the client still has to read an event, or the last keep-alive. */
  let isBehind = false

  async function sendFrame(frame: string): Promise<void> {
    isSilent = false
    const caughtUp = send(frame)
    if (caughtUp === undefined) return
    isBehind = true
    await caughtUp
    isBehind = false
  }
  function beat(): void {
    const event = alive.event()
    if (isSilent && !isBehind && event !== undefined) void sendFrame(encode(event))
    isSilent = true
  }
  const timer = ms === 0 ? undefined : idleInterval(beat, ms)
  return {
    async send(event, frame) {
      alive.note(event)
      await sendFrame(frame)
    },
    stop: () => clearInterval(timer),
  }
}
