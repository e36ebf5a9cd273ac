import { nextTurn } from '../../flow/next-turn.js'
import type { McpTransport } from './client.js'
import { MessageReader } from './message-reader.js'
import type { Traffic } from './traffic.js'

/** The reading part of the SDK's stdio transport: unpatched, it reads a server as fast as it writes. */
interface StdioTransport {
  start(): Promise<void>
  readonly _process?: {
    readonly stdout?: Output | null
  }
}

type Listener = (piece: Uint8Array) => void

/** A readable stream of Node. */
export interface Output {
  on(name: 'data', listener: Listener): unknown
  on(name: 'end', listener: () => void): unknown
  listeners(name: 'data'): unknown[]
  removeAllListeners(name: 'data'): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/**
 * Reads some lines of a server's output in each turn of the event loop. The SDK validates all messages of a chunk at
 * once, and Node reads many chunks in one turn: a server that floods its client with notifications would stall all
 * others.
 */
export function readInTurns(transport: McpTransport, traffic: Traffic): void {
  // biome-ignore lint/plugin: The SDK is an optional peer, so only its structure is known here.
  const starting = transport as unknown as StdioTransport
  const start = starting.start.bind(starting)
  starting.start = async () => {
    await start()
    const output = starting._process?.stdout
    if (output) readLines(output, traffic)
  }
}

function readLines(output: Output, traffic: Traffic): void {
  const listeners = output.listeners('data') as Listener[]
  output.removeAllListeners('data')
  const messages = new MessageReader('lines')

  async function read(piece: Uint8Array): Promise<void> {
    try {
      const { lines } = messages
      const parts = messages.push(piece)
      traffic.arrived(piece.length, messages.lines - lines)
      for (const part of parts) {
        if (traffic.isOver) return
        for (const listener of listeners) listener(Buffer.from(part.buffer, part.byteOffset, part.length))
        await nextTurn()
      }
      if (parts.length === 0) await nextTurn()
    } catch (error) {
      traffic.exceed(error as Error)
    }
  }

  output.on('data', (piece) => {
    output.pause()
    read(piece).then(() => output.resume())
  })
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
