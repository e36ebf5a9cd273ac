import type { McpTransport } from './client.js'

interface SendingTransport {
  send(message: unknown, options?: object): Promise<void>
}

/**
 * Sends messages one after the other. While a server's process lags in reading, the SDK adds a listener to its input
 * for each message that it sends, and Node warns of an eleventh.
 */
export function sendInOrder(transport: McpTransport): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const sending = transport as unknown as SendingTransport
  const send = sending.send.bind(sending)
  let last: Promise<unknown> = Promise.resolve()
  sending.send = (message, options) => {
    const sent = last.then(() => send(message, options))
    // The sender of a message handles its failure.
    last = sent.catch(() => {})
    return sent
  }
}
