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
 * Fails a request whose stream of events breaks off before its response, if no server can resume it. The SDK would wait
 * until the request times out.
 */
export function reportLostStreams(transport: McpTransport): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const http = transport as unknown as HttpTransport
  const send = http.send.bind(http)
  http.send = (message, options) => {
    const { id, method } = message
    if (id === undefined || method === undefined) return send(message, options)
    const onRequestStreamEnd = (): void => {
      // The client ignores a second answer to a request.
      http.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Connection closed', data: LOST } })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}
