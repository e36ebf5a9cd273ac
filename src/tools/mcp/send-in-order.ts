import type { McpTransport } from './client.js'

interface SendingTransport {
  send(message: unknown, options?: object): Promise<void>
}

/**
 * Sends one message after the other. While a server's process is behind with reading, the SDK adds a listener to its
 * input for each message that it sends, and Node warns of an eleventh.
 */
export function sendInOrder(transport: McpTransport): void {
  // The SDK is an optional peer, known here by shape alone.
  const sending = transport as unknown as SendingTransport
  const send = sending.send.bind(sending)
  let last: Promise<unknown> = Promise.resolve()
  sending.send = (message, options) => {
    const sent = last.then(() => send(message, options))
    // A message that could not be sent is its sender's matter.
    last = sent.catch(() => {})
    return sent
  }
}
