import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { check } from '../../shared/errors.js'

type OnUpgrade = (request: IncomingMessage, socket: Socket, head: Uint8Array) => unknown

/** The part of Node's servers that {@link answerUpgrades} uses. */
export interface UpgradingServer {
  /** Returns the listeners of an event. */
  listeners(event: 'upgrade'): readonly unknown[]
  /** Removes the listeners of an event. */
  removeAllListeners(event: 'upgrade'): unknown
  /** Adds a listener. */
  // biome-ignore lint/suspicious/noExplicitAny: Node's types, which the package must not need, say no more
  on(event: 'upgrade', listener: (...given: any[]) => void): unknown
  /** Has the server read a connection as if it had just been accepted. */
  emit(event: 'connection', socket: unknown): boolean
}

/** Node drops further headers, of which one may say how long the body is. In entries of `rawHeaders`, two for each. */
const MAX_RAW_HEADERS = 2000

/**
 * Answers requests that ask for another protocol than WebSocket as if they did not: clients such as Java's offer HTTP/2
 * with each request. Node hands the connection of such a request over without a listener for its errors, so a client that
 * resets it would end the process, and one that waits would never get an answer.
 *
 * @param server - a server of Node's with one listener for upgrades, which opens WebSockets. That of `@hono/node-server`
 * refuses requests only as long as there is no other
 * @throws HarmonyResponsesError `bad_option` if it has none, or several
 *
 * @example
 * ```ts
 * import { createAdaptorServer } from '@hono/node-server'
 * import { loadTokenTable } from 'harmony-responses'
 * import { createResponsesApp } from 'harmony-responses/server'
 * import { answerUpgrades } from 'harmony-responses/server/node'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 * import { WebSocketServer } from 'ws'
 *
 * const { fetch } = createResponsesApp({
 *   engine: scriptedEngine(() => answer('Hi!')),
 *   tokenTable: await loadTokenTable(),
 * })
 * const websocket = { server: new WebSocketServer({ noServer: true, maxPayload: 33_554_432 }) as never }
 * const server = createAdaptorServer({ fetch, overrideGlobalObjects: false, websocket })
 * answerUpgrades(server)
 * ```
 */
export function answerUpgrades(server: UpgradingServer): void {
  const [open, ...others] = (server?.listeners?.('upgrade') ?? []) as readonly OnUpgrade[]
  const isRight = open !== undefined && others.length === 0
  check(isRight, 'answerUpgrades', 'a server with one listener for upgrades', server)
  server.removeAllListeners('upgrade')
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Uint8Array) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') opened(() => open(request, socket, head), socket)
    else answerPlainly(server, request, socket, head)
  })
}

async function opened(open: () => unknown, socket: Socket): Promise<void> {
  try {
    await open()
    // Refused. A client that does not close its end would keep the connection, and the server from stopping.
    if (socket.writableEnded) socket.destroySoon()
  } catch {
    socket.destroy()
  }
}

/** Gives the connection back to the server, with the request as it would be without the offer. */
function answerPlainly(server: UpgradingServer, request: IncomingMessage, socket: Socket, head: Uint8Array): void {
  const { method, url, httpVersion, rawHeaders } = request
  if (rawHeaders.length >= MAX_RAW_HEADERS) {
    socket.destroy()
    return
  }
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  socket.unshift(head)
  // Node reads the bytes of headers as Latin-1.
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
  server.emit('connection', socket)
}
