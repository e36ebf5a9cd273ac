import type { McpTransport } from './client.js'
import { LOST } from './failure.js'

interface Sent {
  readonly id?: unknown
  readonly method?: unknown
}

interface HttpTransport {
  send(message: Sent, options?: object): Promise<void>
  onmessage?: (message: object, extra?: unknown) => void
}

/**
 * Answers a request whose stream of events breaks off before its response, which no server can resume any more. The SDK
 * would wait until the request's time is over.
 */
export function reportLostStreams(transport: McpTransport): void {
  // The SDK is an optional peer, known here by shape alone.
  const http = transport as unknown as HttpTransport
  const send = http.send.bind(http)
  http.send = (message, options) => {
    const { id, method } = message
    if (id === undefined || method === undefined) return send(message, options)
    const onRequestStreamEnd = (): void => {
      // The client passes over an answer to a request that has one.
      http.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Connection closed', data: LOST } })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}
