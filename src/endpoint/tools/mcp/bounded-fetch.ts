import { nextTurn } from '../../flow/next-turn.js'
import { MessageReader } from './message-reader.js'
import type { Traffic } from './traffic.js'

/**
 * Wraps a fetch so that an answer breaks off at a message beyond the limits: the SDK reads each one completely before it
 * parses it. A stream of events may have any length, but each event is bounded, and so is what all streams of a server
 * hold together.
 *
 * @param onError - called with why an event stream breaks off, of which the SDK tells nobody
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  traffic: Traffic,
  onError: (error: unknown) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body } = response
    if (body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    const messages = new MessageReader(isStream ? 'events' : 'body')
    const readable = bounded(body, messages, traffic, isStream ? onError : () => {})
    return new Proxy(response, { get: propertyOf(new Response(readable, response)) })
  }
}

/**
 * Returns a property of the bounded answer, except for the address and redirection of the original, which cannot be
 * copied.
 */
function propertyOf(readable: Response): (response: Response, name: string | symbol) => unknown {
  return (response, name) => {
    const from = name === 'url' || name === 'redirected' || name === 'type' ? response : readable
    const value: unknown = Reflect.get(from, name, from)
    return typeof value === 'function' ? value.bind(from) : value
  }
}

function bounded(
  body: ReadableStream<Uint8Array>,
  messages: MessageReader,
  traffic: Traffic,
  onExcess: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const source = body.getReader()
  const parts: Uint8Array[] = []
  let held = 0

  function hold(bytes: number): void {
    const more = bytes - held
    held = bytes
    traffic.hold(more)
  }

  function take(piece: Uint8Array): void {
    const { lines } = messages
    try {
      for (const part of messages.push(piece)) parts.push(part)
      hold(messages.unfinished)
    } catch (error) {
      onExcess(error)
      throw error
    } finally {
      traffic.arrived(piece.length, messages.lines - lines)
    }
  }

  /** @returns undefined at the end */
  async function nextPart(): Promise<Uint8Array | undefined> {
    while (parts.length === 0) {
      const { done, value } = await source.read()
      if (done) return
      take(value)
      // A server that floods its client with notifications would otherwise stall all others.
      if (parts.length === 0) await nextTurn()
    }
    return parts.shift()
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const part = await nextPart()
          if (part !== undefined) {
            controller.enqueue(part)
            return await nextTurn()
          }
          hold(0)
          const rest = messages.end()
          if (rest.length > 0) controller.enqueue(rest)
          controller.close()
        } catch (error) {
          hold(0)
          source.cancel(error).catch(() => {})
          controller.error(error)
        }
      },
      cancel(reason) {
        hold(0)
        return source.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
