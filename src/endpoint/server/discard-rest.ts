import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/**
 * Discards the rest of a body after its request was answered, for instance refused for its size. A connection that is
 * closed with unread bytes is reset, and a client that is still sending would never read the answer.
 *
 * @param seconds - the time limit, after which the connection is closed anyway
 */
export function discardRests(server: Server, seconds: number): void {
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.once('finish', () => {
      if (!incoming.readableEnded && !incoming.destroyed) discard(incoming, seconds)
    })
  })
}

function discard(incoming: IncomingMessage, seconds: number): void {
  const timer = setTimeout(() => incoming.socket.destroySoon(), seconds * 1000)
  timer.unref()
  incoming.once('close', () => clearTimeout(timer))
  incoming.resume()
}
