import { nextTurn } from '../../next-turn.js'
import type { McpTransport } from './client.js'

/** The part of the SDK's transport over stdio that is read: without it, a server is read as fast as it writes. */
interface StdioTransport {
  start(): Promise<void>
  readonly _process?: {
    readonly stdout?: Output | null
  }
}

/** A readable stream of Node's. */
export interface Output {
  on(name: 'data', listener: (piece: Uint8Array) => void): unknown
  on(name: 'end', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/**
 * Reads one piece of a server's output in each turn of the event loop. The SDK validates all messages of a piece at once,
 * and Node reads many pieces in one turn: a server that floods its client with notifications would stop all others.
 */
export function readInTurns(transport: McpTransport): void {
  // The SDK is an optional peer, known here by shape alone.
  const starting = transport as unknown as StdioTransport
  const start = starting.start.bind(starting)
  starting.start = async () => {
    await start()
    const output = starting._process?.stdout
    if (output) onePieceATurn(output)
  }
}

/** Gives what comes from a stream to its listeners one piece in each turn of the event loop. */
export function onePieceATurn(output: Output): void {
  output.on('data', () => {
    output.pause()
    nextTurn().then(() => output.resume())
  })
}

/** Reads no more of a server's output. Closing the connection leaves the process two seconds, in which it would flood on. */
export function stopReading(transport: McpTransport | undefined): void {
  const { _process } = (transport ?? {}) as Partial<StdioTransport>
  _process?.stdout?.destroy()
}
