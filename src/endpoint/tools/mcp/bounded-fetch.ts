import { nextTurn } from '../../flow/next-turn.js'

/** The limit of one message from a server behind HTTP, in bytes: the SDK's limit for one line over stdio. */
const MOST_MESSAGE_BYTES = 10_485_760

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Wraps a fetch so that an answer breaks off at a message beyond the limit: the SDK reads each one completely before it
 * parses it. A stream of events may have any length, but each event is bounded.
 */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body } = response
    if (body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    return new Proxy(response, { get: propertyOf(new Response(body.pipeThrough(bounded(isStream)), response)) })
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

function bounded(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  /** Whether the line is empty so far: a blank line ends an event. */
  let isBlank = true
  return new TransformStream({
    async transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at]
        length += 1
        if (isStream && byte === LINE_FEED) {
          if (isBlank) length = 0
          isBlank = true
        } else if (byte !== CARRIAGE_RETURN) isBlank = false
        if (length > MOST_MESSAGE_BYTES) {
          return controller.error(new Error(`a message of the server is longer than ${MOST_MESSAGE_BYTES} bytes`))
        }
      }
      controller.enqueue(chunk)
      // A server that floods its client with notifications would otherwise stall all others.
      await nextTurn()
    },
  })
}
