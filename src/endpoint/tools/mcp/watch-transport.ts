import type { McpTransport } from './client.js'
import { Traffic } from './traffic.js'

interface Watched {
  send(message: object, options?: object): Promise<void>
  onmessage?: ((...args: readonly unknown[]) => unknown) | undefined
}

/** What a connection does about its transport. */
export interface TransportHooks {
  /** The server reported that its list of tools has changed. */
  onListChanged(): void
  /** The server exceeded a limit: nothing of it is read any more. */
  onExcess(transport: McpTransport, error: Error): void
  /** Why a stream broke off. */
  onError(error: unknown): void
}

/**
 * Observes the server's notifications without a handler, which would replace one of the host's, and counts the traffic.
 * Without `onExcess` it counts none: the host limits a connection of its own itself.
 *
 * @param counted - the traffic, if something else counts it as well
 */
export function watchTransport(
  transport: McpTransport,
  { onListChanged, onExcess }: Partial<TransportHooks>,
  counted?: Traffic,
): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const watched = transport as unknown as Watched
  const { onmessage } = watched
  const traffic = counted ?? (onExcess && new Traffic((error) => onExcess(transport, error)))
  // A client that connects later calls this function first.
  watched.onmessage = (...args) => {
    const message = Object(args[0]) as { readonly method?: unknown }
    if (message.method === 'notifications/tools/list_changed') onListChanged?.()
    traffic?.received(message)
    return traffic?.isOver ? undefined : onmessage?.apply(transport, [...args])
  }
  if (traffic === undefined) return
  const send = watched.send.bind(watched)
  watched.send = async (message, options) => {
    const done = traffic.sending(message)
    let isSent = false
    try {
      await send(message, options)
      isSent = true
    } finally {
      done(isSent)
    }
  }
}
