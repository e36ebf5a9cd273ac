import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/**
 * Throws away what comes of a body after its request was answered: refused for its size, perhaps. A connection that is
 * closed with unread bytes is reset, and a client that is still sending then never reads why it was refused.
 *
 * @param seconds - how long; then the connection is closed all the same
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
