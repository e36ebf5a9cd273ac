import type { ListedTool } from '../../../core/responses/mcp-listing.js'
import { childSignals } from '../../flow/child-signals.js'
import { deadline, whileWanted } from '../deadline.js'
import { createCallSlots } from './call-slots.js'
import {
  type McpClient,
  type McpPeer,
  type McpProgress,
  type McpRequestOptions,
  type McpTransport,
  mcpPeerOf,
} from './client.js'
import { isBrokenConnection, isOutdatedTool, isRefusal, isUnknownSession } from './failure.js'
import { type Opened, openClient } from './open-client.js'
import { limitsOf, type McpServerConfig, type Settings } from './options.js'
import { stopReading } from './read-in-turns.js'
import { readTools } from './read-tools.js'
import { RestartDelay } from './restart-delay.js'
import { type TransportHooks, watchTransport } from './watch-transport.js'

/** One configured server: connected on demand, and reconnected after the connection was lost. */
export interface McpConnection {
  /** The time limit of a call in total, including its turn in the queue and connecting. */
  readonly totalTimeoutMs: number
  /**
   * Returns its tools, from a cache while they are fresh.
   *
   * @throws whatever the SDK throws
   */
  tools(signal: AbortSignal): Promise<readonly ListedTool[]>
  /**
   * Runs a tool.
   *
   * @throws whatever the SDK throws
   */
  call(name: string, args: object, signal: AbortSignal, onprogress: (progress: McpProgress) => void): Promise<unknown>
  /** Ends the connection, the session and the process, if this library opened them. Never throws. */
  close(): Promise<void>
}

/** A client in use. */
interface Live extends Opened {
  /** How many requests are waiting for its answers. */
  users: number
  /** Set once no new user may join; the last one closes it. */
  isRetired: boolean
  /** In milliseconds, by a monotonic clock. */
  readonly since: number
}

interface Listing {
  readonly tools: Promise<readonly ListedTool[]>
  /** Set once they have arrived. */
  known?: readonly ListedTool[]
  /** In milliseconds, by a monotonic clock. */
  readonly since: number
}

/** @param onError - called with errors that fail no call */
export function createConnection(
  config: McpServerConfig,
  settings: Settings,
  onError: (error: unknown) => void,
): McpConnection {
  const { listMaxAgeMs, restartDelayMs } = settings
  const limits = limitsOf(config, settings)
  const { listTimeoutMs, timeoutMs } = limits
  const slots = createCallSlots(limits)
  const restart = new RestartDelay(restartDelayMs)
  const lifetime = new AbortController()
  const lifetimes = childSignals(lifetime.signal)
  const watched = new WeakSet<McpTransport>()
  const isOurs = !('client' in config)
  const isOpenedHere = isOurs && !('connect' in config)
  const onListChanged = (): void => {
    listing = undefined
  }
  const hooks: TransportHooks = { onListChanged, onExcess: cutOff, onError }
  const open = new Set<Live>()
  const closing = new Set<Promise<void>>()
  let opening: Promise<Live> | undefined
  let current: Live | undefined
  let listing: Listing | undefined

  /** Shared by all concurrent callers, so that none of them can abort it by leaving. */
  function connection(): Promise<Live> {
    if (lifetime.signal.aborted) throw lifetime.signal.reason
    if (opening === undefined && isOurs) restart.check(performance.now())
    opening ??= connect()
    return opening
  }

  async function connect(): Promise<Live> {
    const life = lifetimes.open()
    const limit = deadline(listTimeoutMs, life.signal)
    try {
      const opened = await openClient(config, listTimeoutMs, limit.signal, hooks)
      current = { ...opened, users: 0, isRetired: false, since: performance.now() }
      open.add(current)
      return current
    } catch (error) {
      opening = undefined
      restart.failed(error, performance.now())
      throw error
    } finally {
      limit.clear()
      life.end()
    }
  }

  /**
   * Retires a connection: the next caller gets a new one. Callers of the old one may still be answered, since an error
   * of one request need not affect the others.
   */
  function retire(live: Live): void {
    live.isRetired = true
    if (current === live) {
      current = undefined
      opening = undefined
      listing = undefined
    }
    if (live.users === 0) end(live)
  }

  function end(live: Live): void {
    if (!open.delete(live)) return
    const closed = live.close().finally(() => closing.delete(closed))
    closing.add(closed)
  }

  /**
   * Retires a connection whose server is at fault. If many calls fail with it, only the first counts as its failure.
   */
  function retireFailed(live: Live, error: unknown): void {
    if (current === live) restart.lost(error, live.since, performance.now())
    retire(live)
  }

  function retireIfLost(): void {
    if (current !== undefined && isLost(current.client)) retireFailed(current, new Error('The connection was lost.'))
  }

  async function use<T>(work: (peer: McpPeer) => Promise<T>, isAgain = false): Promise<T> {
    retireIfLost()
    const live = await connection()
    live.users += 1
    try {
      watch(live.client)
      return await work(mcpPeerOf(live.client))
    } catch (error) {
      // A restarted server rejects the old session before it processes the request.
      const isOldSession = !isAgain && isUnknownSession(error)
      if (isOldSession) retire(live)
      else if (isBrokenConnection(error)) retireFailed(live, error)
      if (!isOldSession) throw error
    } finally {
      live.users -= 1
      if (live.isRetired && live.users === 0) end(live)
    }
    return use(work, true)
  }

  /** Watches a client of the host's: at each use, since the host may have connected it again. */
  function watch({ transport }: McpClient): void {
    if (isOpenedHere || transport === undefined || watched.has(transport as McpTransport)) return
    watched.add(transport as McpTransport)
    watchTransport(transport as McpTransport, isOurs ? hooks : { onListChanged })
  }

  /** Ends a connection whose server exceeds a limit. The running calls fail, and the next one reconnects. */
  function cutOff(transport: McpTransport, error: Error): void {
    onError(error)
    stopReading(transport)
    const live = [...open].find(({ client }) => client.transport === transport)
    if (live === undefined) {
      // It is still being opened, which fails.
      transport.close().catch(() => {})
      return
    }
    retireFailed(live, error)
    end(live)
  }

  async function list(): Promise<readonly ListedTool[]> {
    const life = lifetimes.open()
    const limit = deadline(listTimeoutMs, life.signal)
    const options = { signal: limit.signal, timeout: listTimeoutMs }
    try {
      return await whileWanted(
        use((peer) => readTools(peer, options, onError)),
        limit.signal,
      )
    } finally {
      limit.clear()
      life.end()
    }
  }

  function tools(): Promise<readonly ListedTool[]> {
    retireIfLost()
    if (listing !== undefined && performance.now() - listing.since < listMaxAgeMs) return listing.tools
    const made: Listing = { tools: list(), since: performance.now() }
    listing = made
    // Its caller may have left by now.
    made.tools.then(
      (known) => {
        made.known = known
      },
      () => {
        if (listing === made) listing = undefined
      },
    )
    return made.tools
  }

  /** Runs a tool by its listed form, and by a new list if the server says that this form is outdated. */
  async function callListed(
    peer: McpPeer,
    call: { readonly name: string; readonly arguments: object },
    options: McpRequestOptions,
  ): Promise<unknown> {
    const find = (from: readonly ListedTool[] = []) => from.find(({ name }) => name === call.name)
    try {
      return await peer.callTool(call, find(listing?.known), options)
    } catch (error) {
      if (!isOutdatedTool(error)) throw error
      listing = undefined
      return peer.callTool(call, find(await tools().catch(() => undefined)), options)
    }
  }

  return {
    totalTimeoutMs: limits.totalTimeoutMs,
    tools: (signal) => whileWanted(tools(), signal),
    async call(name, args, signal, onprogress) {
      const options = { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress }
      const leave = await slots.enter(signal)
      try {
        const answer = await whileWanted(
          use((peer) => callListed(peer, { name, arguments: args }, options)),
          signal,
        )
        restart.reset()
        return answer
      } catch (error) {
        if (isRefusal(error)) restart.reset()
        throw error
      } finally {
        leave()
      }
    },
    async close() {
      lifetime.abort(new Error('mcpTools was closed.'))
      // A connection that is still opening closes itself.
      await opening?.catch(() => {})
      for (const live of open) end(live)
      await Promise.all(closing)
    },
  }
}

/** Whether the connection is lost: a client of the SDK drops its transport when either side closes it. */
function isLost(client: McpClient): boolean {
  return 'transport' in client && client.transport === undefined
}
