import type { WebSocketServer } from 'ws'

/** A socket server that is loaded with the first socket: most servers never open one. */
export interface LazySockets {
  /** The part of a `WebSocketServer` that `@hono/node-server` uses. */
  readonly server: Pick<WebSocketServer, 'on' | 'off' | 'emit' | 'handleUpgrade' | 'close' | 'options'>
  /** Has to be awaited before an upgrade is handled. */
  load(): Promise<void>
  /** Cuts off all open sockets. */
  terminate(): void
}

type Listener = (...given: unknown[]) => void

/** @param options - `maxPayload`: the limit of one message, in bytes */
export function createLazySockets({ maxPayload }: { readonly maxPayload: number }): LazySockets {
  const options = { noServer: true, maxPayload } as const
  const listeners: (readonly [event: string, listener: Listener])[] = []
  let loading: Promise<void> | undefined
  let sockets: WebSocketServer | undefined
  let isClosed = false

  async function open(): Promise<void> {
    const { WebSocketServer } = await import('ws')
    sockets = new WebSocketServer(options)
    for (const [event, listener] of listeners) sockets.on(event, listener)
    if (isClosed) sockets.close()
  }
  function loaded(): WebSocketServer {
    if (sockets === undefined) throw new Error('a socket is handled before the package ws is loaded')
    return sockets
  }
  const server = {
    options,
    on(event: string, listener: Listener) {
      if (sockets === undefined) listeners.push([event, listener])
      else sockets.on(event, listener)
      return server
    },
    off(event: string, listener: Listener) {
      loaded().off(event, listener)
      return server
    },
    emit: (event: string, ...given: unknown[]): boolean => loaded().emit(event, ...given),
    handleUpgrade(...given: Parameters<WebSocketServer['handleUpgrade']>): void {
      loaded().handleUpgrade(...given)
    },
    close(): void {
      isClosed = true
      sockets?.close()
    },
  }
  return {
    // biome-ignore lint/plugin: `on` and `off` have one signature here and an overload for each event in ws.
    server: server as never,
    load() {
      loading ??= open()
      return loading
    },
    terminate() {
      for (const socket of sockets?.clients ?? []) socket.terminate()
    },
  }
}
