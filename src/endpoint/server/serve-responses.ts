import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { check } from '../../shared/errors.js'
import type { OptionTable } from '../../shared/options/check-options.js'
import { aString, wholeNumber } from '../../shared/options/checks.js'
import { APP_OPTIONS } from './check-app-options.js'
import { openApp, type ResponsesApp } from './create-responses-app.js'
import { createLazySockets } from './lazy-sockets.js'
import { markOwn } from './node-bindings.js'
import type { ResponsesAppOptions } from './options.js'
import { checkServiceOptions } from './service/check-service-options.js'
import { answerUpgrades } from './upgrades.js'

/** Options of `serveResponses`. */
export interface ServeOptions extends Omit<ResponsesAppOptions, 'upgradeWebSocket'> {
  /** The port to listen on. Default 8000; 0 picks a free one. */
  readonly port?: number
  /** The address to listen on. Default `127.0.0.1`: any other needs `authorize`. */
  readonly hostname?: string
}

/** A listening endpoint. */
export interface ResponsesServer extends ResponsesApp {
  /** Its address: `http://127.0.0.1:8000`. */
  readonly url: string
  /** The port on which it listens, also if a free one was picked. */
  readonly port: number
  /**
   * Refuses new requests, waits for the running responses, and closes every connection.
   *
   * @param options - `graceMs`: how long they may take before they are aborted. Default 10,000
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

const { upgradeWebSocket: _, ...WITHOUT_SOCKET } = APP_OPTIONS

const SERVE_OPTIONS: OptionTable<ServeOptions> = {
  ...WITHOUT_SOCKET,
  hostname: aString,
  port: wholeNumber(0, 65_535),
}

/**
 * Serves the Responses API on a port of this machine, over HTTP and over WebSocket on the same path.
 *
 * @throws HarmonyResponsesError `bad_option`, also if others could reach it without a key; the error of `listen`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { serveResponses } from 'harmony-responses/server/node'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const server = await serveResponses({
 *   engine: scriptedEngine(() => answer('Hi!')), // in its place, any engine
 *   tokenTable: await loadTokenTable(),
 *   port: 0,
 * })
 * console.log(server.url.startsWith('http://127.0.0.1:')) // true
 * await server.close()
 * ```
 */
export async function serveResponses(options: ServeOptions): Promise<ResponsesServer> {
  checkServiceOptions('serveResponses', options, SERVE_OPTIONS)
  const { port = 8000, hostname = '127.0.0.1', ...others } = options
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(hostname)
  const isSafe = isLoopback || others.authorize !== undefined
  check(isSafe, 'hostname', 'a loopback address, or authorize, for others can reach this one', hostname)
  // Imported late: `sendEvents` of the same subpath needs no server.
  const { serve, upgradeWebSocket } = await import('@hono/node-server')
  // biome-ignore lint/plugin: Hono's type has its own environment in place of ours.
  const app = openApp({ ...others, upgradeWebSocket: upgradeWebSocket as never })
  const sockets = createLazySockets({ maxPayload: others.limits?.bodyBytes ?? 33_554_432 })
  const fetch: ResponsesApp['fetch'] = (request, env, context) => {
    // An upgrade is the only request without a response of Node's.
    if (Object(env).outgoing !== undefined) {
      markOwn(env)
      return app.fetch(request, env, context)
    }
    return sockets.load().then(() => app.fetch(request, env, context))
  }
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = serve(
      {
        fetch,
        port,
        hostname,
        // biome-ignore lint/plugin: ws's `noServer` may be undefined, which @hono/node-server's type excludes.
        websocket: { server: sockets.server as never },
        overrideGlobalObjects: false,
        autoCleanupIncoming: false,
      },
      () => resolve(listening as Server),
    )
    listening.once('error', reject)
  }).catch(async (error: unknown) => {
    // What serves nobody takes no responses over.
    await app.drain(AbortSignal.abort())
    throw error
  })
  answerUpgrades(server)
  // As long as a body may take to arrive.
  discardRests(server, others.limits?.bodySeconds ?? 30)
  const answered = trackResponses(server)
  const { port: actual } = server.address() as AddressInfo
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return {
    ...app,
    url: `http://${host}:${actual}`,
    port: actual,
    async close({ graceMs = 10_000 } = {}) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const grace = AbortSignal.timeout(graceMs)
      await app.drain(grace)
      await answered(grace)
      server.closeIdleConnections()
      // Answers that were sent still arrive; idle connections are closed.
      setImmediate(() => server.closeAllConnections())
      // For a peer that does not answer the closing of its socket.
      const late = setTimeout(() => {
        sockets.terminate()
      }, 1000)
      await closed
      clearTimeout(late)
    },
  }
}

/** @returns a function that resolves when all answers have been sent, or its signal has aborted */
function trackResponses(server: Server): (signal: AbortSignal) => Promise<void> {
  const open = new Set<ServerResponse>()
  let wake = (): void => {}
  server.on('request', (_, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => {
      open.delete(response)
      if (open.size === 0) wake()
    })
  })
  return async (signal) => {
    if (open.size === 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      wake = resolve
      signal.addEventListener('abort', () => resolve())
    })
  }
}

/**
 * Discards the rest of a body after its request was answered, for instance refused for its size. A connection that is
 * closed with unread bytes is reset, and a client that is still sending would never read the answer.
 *
 * @param seconds - the time limit, after which the connection is closed anyway
 */
function discardRests(server: Server, seconds: number): void {
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.once('finish', () => {
      if (!incoming.readableEnded && !incoming.destroyed) discard(incoming, seconds)
    })
  })
}

function discard(incoming: IncomingMessage, seconds: number): void {
  const timer = setTimeout(() => incoming.socket.destroySoon(), seconds * 1000)
  timer.unref()
  incoming.once('close', () => clearTimeout(timer))
  incoming.resume()
}
