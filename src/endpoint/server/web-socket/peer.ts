/** The part of Hono's `WSContext` that is used here. */
export interface SocketContext {
  /** The runtime's own socket. */
  readonly raw?: unknown
  /** 1 means open, as in the web's `WebSocket`. */
  readonly readyState: number
  send(text: string): void
  close(code?: number, reason?: string): void
}

/** The client's end of a socket. */
export interface Peer {
  /** Sends a frame. If the client is behind, the promise resolves when it has caught up. Never throws. */
  send(text: string): Promise<void> | undefined
  close(code: number, reason: string): void
  /** Closes the connection without waiting for the client's answer, since it is in the middle of a message. */
  refuse(code: number, reason: string): void
  /** Cuts off a client that no longer answers. */
  terminate(): void
  /** Pauses and resumes reading from the client. Absent if the runtime cannot. */
  readonly hold?: (isHeld: boolean) => void
  /** Pings the client. Absent if the runtime does so itself. */
  readonly ping?: () => void
  readonly onPong?: (listener: () => void) => void
}

/** The number of buffered bytes at which events have to wait. */
const HIGH_WATER = 65_536

/** How long a client that was refused in mid-message may continue to send before it is cut off, in milliseconds. */
const LINGER_MS = 1000

/** The maximum number of pings that are answered while the client is behind. */
const MAX_PINGS = 1000

export function peerOf(context: SocketContext): Peer {
  const { raw } = context
  return isNodeSocket(raw) ? nodePeer(raw) : webPeer(context)
}

/** The part of the `ws` package's `WebSocket` that is used here. */
interface NodeSocket {
  readonly readyState: number
  readonly bufferedAmount: number
  send(text: string, done: () => void): void
  close(code: number, reason: string): void
  terminate(): void
  ping(): void
  pause?(): void
  resume?(): void
  on(event: 'ping' | 'pong', listener: () => void): void
}

function isNodeSocket(raw: unknown): raw is NodeSocket {
  const { on, ping, terminate, bufferedAmount } = Object(raw) as Partial<NodeSocket>
  const hasMethods = [on, ping, terminate].every((method) => typeof method === 'function')
  return hasMethods && typeof bufferedAmount === 'number'
}

function nodePeer(socket: NodeSocket): Peer {
  let pings = 0
  // The socket itself answers each ping, whether the client reads or not.
  socket.on('ping', () => {
    pings = socket.bufferedAmount > HIGH_WATER ? pings + 1 : 0
    if (pings > MAX_PINGS) socket.terminate()
  })
  return {
    send(text) {
      if (socket.readyState !== OPEN) return undefined
      let resolveSent = (): void => {}
      // Called when everything before it is with the system, and when the connection is lost.
      socket.send(text, () => resolveSent())
      if (socket.bufferedAmount <= HIGH_WATER) return undefined
      return new Promise((resolve) => {
        resolveSent = resolve
      })
    },
    close: (code, reason) => socket.close(code, reason),
    refuse(code, reason) {
      socket.close(code, reason)
      // A connection that is cut off while bytes arrive is reset, and the client may not read the reason.
      setTimeout(() => socket.terminate(), LINGER_MS).unref()
    },
    terminate: () => socket.terminate(),
    ...(socket.pause !== undefined && {
      hold(isHeld) {
        if (isHeld) socket.pause?.()
        else socket.resume?.()
      },
    }),
    ping() {
      if (socket.readyState === OPEN) socket.ping()
    },
    onPong: (listener) => socket.on('pong', listener),
  }
}

/** Wraps a socket of another runtime, which reports how much waits, but not when it has sent it. */
function webPeer(context: SocketContext): Peer {
  const raw = Object(context.raw) as { readonly bufferedAmount?: number; getBufferedAmount?(): number }
  const waiting = (): number => raw.bufferedAmount ?? raw.getBufferedAmount?.() ?? 0
  const isBehind = (): boolean => context.readyState === OPEN && waiting() > HIGH_WATER
  async function catchUp(): Promise<void> {
    for (let ms = 5; isBehind(); ms = Math.min(ms * 2, 500)) {
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }
  return {
    send(text) {
      if (context.readyState !== OPEN) return undefined
      context.send(text)
      return isBehind() ? catchUp() : undefined
    },
    close: (code, reason) => context.close(code, reason),
    refuse: (code, reason) => context.close(code, reason),
    terminate: () => context.close(1011, 'No answer.'),
  }
}

const OPEN = 1
