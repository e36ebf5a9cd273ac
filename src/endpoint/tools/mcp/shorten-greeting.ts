import { isFields } from '../../../shared/fields.js'
import type { McpTransport } from './client.js'

interface Answer {
  result?: unknown
}

interface Connecting {
  onmessage?: ((message: Answer, ...more: readonly unknown[]) => void) | undefined
}

/** More than any version of the protocol has. In UTF-16 code units. */
const MAX_VERSION_LENGTH = 100

/**
 * Leaves of a server's greeting what is used: its version of the protocol, and whether it has tools. The SDK would check
 * each icon and capability of it, and keep it as long as the connection lasts.
 */
export function shortenGreeting(transport: McpTransport): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const connecting = transport as unknown as Connecting
  const { onmessage } = connecting
  let isGreeting = true
  connecting.onmessage = (message, ...more) => {
    if (isGreeting && isFields(message.result)) {
      isGreeting = false
      const { protocolVersion, capabilities } = message.result
      const hasTools = isFields(capabilities) && isFields(capabilities['tools'])
      message.result = {
        protocolVersion: String(protocolVersion).slice(0, MAX_VERSION_LENGTH),
        capabilities: hasTools ? { tools: {} } : {},
        serverInfo: { name: 'server', version: '0' },
      }
    }
    onmessage?.(message, ...more)
  }
}
