import { nextTurn } from '../../flow/next-turn.js'
import type { McpTransport } from './client.js'

/** The reading part of the SDK's stdio transport: unpatched, it reads a server as fast as it writes. */
interface StdioTransport {
  start(): Promise<void>
  readonly _process?: {
    readonly stdout?: Output | null
  }
}

/** A readable stream of Node. */
export interface Output {
  on(name: 'data', listener: (piece: Uint8Array) => void): unknown
  on(name: 'end', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/**
 * Reads one chunk of a server's output in each turn of the event loop. The SDK validates all messages of a chunk at
 * once, and Node reads many chunks in one turn: a server that floods its client with notifications would stall all
 * others.
 */
export function readInTurns(transport: McpTransport): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const starting = transport as unknown as StdioTransport
  const start = starting.start.bind(starting)
  starting.start = async () => {
    await start()
    const output = starting._process?.stdout
    if (output) onePieceATurn(output)
  }
}

/** Delivers a stream to its listeners one chunk in each turn of the event loop. */
export function onePieceATurn(output: Output): void {
  output.on('data', () => {
    output.pause()
    nextTurn().then(() => output.resume())
  })
}

/**
 * Stops reading a server's output. Closing the connection leaves the process two seconds, in which it would continue
 * its flood.
 */
export function stopReading(transport: McpTransport | undefined): void {
  const { _process } = (transport ?? {}) as Partial<StdioTransport>
  _process?.stdout?.destroy()
}
