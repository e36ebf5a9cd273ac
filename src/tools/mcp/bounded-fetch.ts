import { nextTurn } from '../../next-turn.js'

/** Of one message of a server behind HTTP, in bytes: as much as the SDK takes of one line over stdio. */
const MOST_MESSAGE_BYTES = 10_485_760

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * A fetch whose answers break off where a message is longer than allowed: the SDK reads each whole before it looks at it.
 * A stream of events may be of any length; none of its events may.
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

/** What an answer is read by, of the bounded one; and its own address and redirection, which cannot be copied. */
function propertyOf(readable: Response): (response: Response, name: string | symbol) => unknown {
  return (response, name) => {
    const from = name === 'url' || name === 'redirected' || name === 'type' ? response : readable
    const value: unknown = Reflect.get(from, name, from)
    return typeof value === 'function' ? value.bind(from) : value
  }
}

function bounded(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  /** Whether the line has had nothing so far: a blank line ends an event. */
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
      // A server that floods its client with notifications would stop all others.
      await nextTurn()
    },
  })
}
