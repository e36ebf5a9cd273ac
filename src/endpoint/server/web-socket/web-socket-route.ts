import type { Context, Hono } from 'hono'
import { RequestError } from '../../../shared/request-error.js'
import { SHARE } from '../../flow/byte-budget.js'
import { unauthorized } from '../identify.js'
import { nodeBindings } from '../node-bindings.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'
import { ANONYMOUS } from '../service/caller.js'
import { stopping } from '../service/limits/admission.js'
import { SocketConnection } from './connection.js'
import { countIncoming } from './incoming-bytes.js'
import { WEB_SOCKET_LIMITS, type WebSocketLimits } from './limits.js'
import { type Peer, peerOf, type SocketContext } from './peer.js'

/** All open sockets. */
export interface Sockets {
  /**
   * Opens no more, and closes each socket when its requests are answered. Resolves when all are closed or closing.
   *
   * @param signal - stops waiting for clients that do not read when it aborts
   */
  drain(signal?: AbortSignal): Promise<void>
}

/** Shared by all sockets. */
interface Shared {
  readonly server: ServerContext
  readonly limits: Required<WebSocketLimits>
  /** With their owners. */
  readonly open: Map<SocketConnection, string>
  isDraining: boolean
}

/**
 * Adds `GET /responses` with an upgrade: WebSocket mode.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function webSocketRoute(app: Hono<Env>, server: ServerContext): Sockets {
  const { upgradeWebSocket: upgrade, limits = {} } = server.options
  const shared: Shared = { server, limits: limitsOf(limits), open: new Map(), isDraining: false }
  const { open } = shared
  if (upgrade !== undefined) {
    app.get(
      '/responses',
      async (context, next) => {
        if (context.req.header('upgrade')?.toLowerCase() === 'websocket') checkRoom(shared, context.get('owner'))
        return await next()
      },
      upgrade((context: Context<Env>) => socketEvents(context, shared)),
    )
  }
  return {
    async drain(signal) {
      shared.isDraining = true
      const hurry = (): void => {
        for (const connection of open.keys()) connection.hurry()
      }
      signal?.addEventListener('abort', hurry)
      if (signal?.aborted) hurry()
      await Promise.all([...open.keys()].map((connection) => connection.drain()))
      signal?.removeEventListener('abort', hurry)
    },
  }
}

/** @throws RequestError */
function checkRoom(shared: Shared, owner: string): void {
  if (shared.isDraining) throw stopping()
  if (!hasRoom(shared, owner)) throw tooManyConnections()
}

/**
 * Whether an owner may open another socket: with keys, an owner has at most {@link SHARE} times as many as are then left, so
 * that there is always room for another one.
 */
function hasRoom({ open, limits }: Shared, owner: string): boolean {
  const left = limits.connections - open.size - 1
  if (left < 0) return false
  if (owner === ANONYMOUS) return true
  let held = 0
  for (const each of open.values()) if (each === owner) held += 1
  return held === 0 || held + 1 <= SHARE * left
}

/** Returns the event handlers of one socket, in Hono's form. */
function socketEvents(context: Context<Env>, shared: Shared): object {
  const { server, limits, open } = shared
  const { keepAliveMs, options } = server
  const { limits: { bodyBytes: waitingSize = 33_554_432 } = {} } = options
  // These belong to the upgrade request, which has ended.
  const { idempotencyKey: _, signal: __, observed: ___, held: ____, awaitsStatus: _____, ...caller } = callerOf(context)
  const { incoming } = nodeBindings(context)
  const authorize = authorizedAgain(server, context.req.raw, caller.owner)
  let connection: SocketConnection | undefined
  let alive: KeepAlive | undefined
  let stopCounting = (): void => {}
  return {
    onOpen(_event: unknown, socket: SocketContext) {
      const peer = peerOf(socket)
      if (shared.isDraining || !hasRoom(shared, caller.owner)) return peer.close(1013, 'Try again later.')
      connection = new SocketConnection({ server, caller, authorize, peer, limits, waitingSize })
      alive = keepAlive(peer, keepAliveMs)
      open.set(connection, caller.owner)
      if (incoming === undefined) return
      const held = server.service.holdBytes(caller.owner, 'socket')
      stopCounting = countIncoming(incoming.socket, held, (taken) => {
        if (taken === 'too_large') peer.refuse(1009, 'The message is larger than the memory of the server.')
        else peer.refuse(1013, 'The server has too little memory. Try again later.')
      })
    },
    onMessage({ data }: { readonly data: unknown }) {
      alive?.heard()
      connection?.receive(data)
    },
    onClose() {
      alive?.stop()
      stopCounting()
      connection?.leave()
      if (connection !== undefined) open.delete(connection)
    },
    // A connection error closes the connection.
    onError() {},
  }
}

/**
 * Returns what each request of a socket calls before it is answered: its key may have been removed since the upgrade.
 * It keeps only what `authorize` reads, the headers.
 */
function authorizedAgain({ identify }: ServerContext, { url, headers }: Request, owner: string): () => Promise<void> {
  const upgrade = new Request(url, { headers })
  return async () => {
    // What the socket remembers is of the owner that it was opened for.
    if ((await identify(upgrade)) !== owner) throw unauthorized()
  }
}

function limitsOf(given: WebSocketLimits): Required<WebSocketLimits> {
  const names = Object.keys(WEB_SOCKET_LIMITS) as (keyof WebSocketLimits)[]
  const entries = names.map((name) => {
    return [name, given[name] ?? WEB_SOCKET_LIMITS[name]]
  })
  return Object.fromEntries(entries)
}

function tooManyConnections(): RequestError {
  const message = 'Too many WebSockets are open. Please try again later.'
  return new RequestError(message, { status: 429, code: 'websocket_connection_limit_reached' })
}

/** Detects whether a silent client is still there. */
interface KeepAlive {
  /** Notes a sign of life. */
  heard(): void
  stop(): void
}

/** The maximum number of unanswered pings in a row: a client may be behind with its reading. */
const MAX_UNANSWERED = 2

/** @param ms - between two pings; 0 sends none */
function keepAlive({ ping, onPong, terminate }: Peer, ms: number): KeepAlive {
  let unanswered = 0
  const heard = (): void => {
    unanswered = 0
  }
  if (ping === undefined || ms === 0) return { heard, stop() {} }
  onPong?.(heard)
  const timer = setInterval(() => {
    if (unanswered === MAX_UNANSWERED) return terminate()
    unanswered += 1
    ping()
  }, ms)
  timer.unref?.()
  return { heard, stop: () => clearInterval(timer) }
}
