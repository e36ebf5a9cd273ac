import { childSignals } from '../../child-signals.js'
import type { ListedTool } from '../../responses/mcp-listing.js'
import { type McpClient, type McpPeer, type McpProgress, type McpTransport, mcpPeerOf } from './client.js'
import { deadline, whileWanted } from './deadline.js'
import { isBrokenConnection, isUnknownSession } from './failure.js'
import { type Opened, openClient } from './open-client.js'
import type { McpServerConfig, Settings } from './options.js'
import { stopReading } from './read-in-turns.js'
import { readTools } from './read-tools.js'

/** One configured server: connected when it is needed, and again when the connection was lost. */
export interface McpConnection {
  /**
   * Its tools, from memory while they are fresh.
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
  /** Ends the connection, the session and the process, if they are ours. Never throws. */
  close(): Promise<void>
}

/** A client in use. */
interface Live extends Opened {
  /** How many requests wait for its answers. */
  users: number
  /** Nobody else may use it; the last of its users closes it. */
  isRetired: boolean
}

interface Listing {
  readonly tools: Promise<readonly ListedTool[]>
  /** In milliseconds by a clock that only rises. */
  readonly since: number
}

/**
 * The most notifications and requests of a server without an answer of it in between: 16 a second for as long as a call may
 * take. More is a flood, and would go on for as long.
 */
const MOST_UNASKED = 10_000

/** @param onError - called with errors that fail nothing */
export function createConnection(
  config: McpServerConfig,
  { listTimeoutMs, listMaxAgeMs, timeoutMs }: Settings,
  onError: (error: unknown) => void,
): McpConnection {
  const lifetime = new AbortController()
  const lifetimes = childSignals(lifetime.signal)
  const watched = new WeakSet<McpTransport>()
  const isOurs = !('client' in config)
  const open = new Set<Live>()
  const closing = new Set<Promise<void>>()
  let opening: Promise<Live> | undefined
  let current: Live | undefined
  let listing: Listing | undefined

  /** Shared by all who ask meanwhile, and so independent of which of them leave. */
  function connection(): Promise<Live> {
    if (lifetime.signal.aborted) throw lifetime.signal.reason
    opening ??= connect()
    return opening
  }

  async function connect(): Promise<Live> {
    const life = lifetimes.open()
    const limit = deadline(listTimeoutMs, life.signal)
    try {
      current = { ...(await openClient(config, listTimeoutMs, limit.signal)), users: 0, isRetired: false }
      open.add(current)
      return current
    } catch (error) {
      opening = undefined
      throw error
    } finally {
      limit.clear()
      life.end()
    }
  }

  /**
   * The next who needs a connection gets a new one. Those who wait on the old one may still be answered: an error of one
   * request need not be one of the others.
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

  function retireIfLost(): void {
    if (current !== undefined && isLost(current.client)) retire(current)
  }

  async function use<T>(work: (peer: McpPeer) => Promise<T>, isAgain = false): Promise<T> {
    retireIfLost()
    const live = await connection()
    live.users += 1
    try {
      watch(live.client)
      return await work(mcpPeerOf(live.client))
    } catch (error) {
      if (isBrokenConnection(error)) retire(live)
      // A server that was started anew refuses the old session before it looks at the request.
      if (isAgain || !isUnknownSession(error)) throw error
    } finally {
      live.users -= 1
      if (live.isRetired && live.users === 0) end(live)
    }
    return use(work, true)
  }

  /** Sees the server's notifications without a handler, which would replace one of the host's. */
  function watch(client: McpClient): void {
    const transport = client.transport as McpTransport | undefined
    if (transport === undefined || watched.has(transport)) return
    watched.add(transport)
    const { onmessage } = transport
    if (typeof onmessage !== 'function') return
    let unasked = 0
    transport.onmessage = (...args: readonly unknown[]): unknown => {
      const { method } = Object(args[0]) as { readonly method?: unknown }
      if (method === 'notifications/tools/list_changed') listing = undefined
      unasked = method === undefined ? 0 : unasked + 1
      if (unasked > MOST_UNASKED && isOurs) {
        if (unasked === MOST_UNASKED + 1) cutOff(client)
        return undefined
      }
      return onmessage.apply(transport, args)
    }
  }

  /** Ends a connection whose server floods it. The calls under way fail, and the next one connects again. */
  function cutOff(client: McpClient): void {
    onError(new Error(`The server sent more than ${MOST_UNASKED} messages in a row that answer nothing.`))
    const live = [...open].find((one) => one.client === client)
    if (live === undefined) return
    stopReading(client.transport as McpTransport | undefined)
    retire(live)
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
    // Nobody may be waiting for it any more.
    made.tools.catch(() => {
      if (listing === made) listing = undefined
    })
    return made.tools
  }

  return {
    tools: (signal) => whileWanted(tools(), signal),
    call(name, args, signal, onprogress) {
      const options = { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress }
      return whileWanted(
        use((peer) => peer.callTool({ name, arguments: args }, options)),
        signal,
      )
    },
    async close() {
      lifetime.abort(new Error('mcpTools was closed.'))
      // What is being opened closes itself.
      await opening?.catch(() => {})
      for (const live of open) end(live)
      await Promise.all(closing)
    },
  }
}

/** A client of the SDK lets go of its transport when that is closed, by whichever side. */
function isLost(client: McpClient): boolean {
  return 'transport' in client && client.transport === undefined
}
