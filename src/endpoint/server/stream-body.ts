import { nodeModule } from '../../shared/system/node-module.js'
import { afterReads } from '../../shared/system/reads.js'

/** The part of a response of `node:http`, `node:http2` or Express that is used here. */
export interface NodeResponse extends Drains {
  /** Whether `end` was called. */
  readonly writableEnded: boolean
  /** Whether the connection is gone. */
  readonly destroyed?: boolean
  /** Sets a header, before the first write. */
  setHeader(name: string, value: string): unknown
  /** Sends the headers now. */
  flushHeaders(): void
  /** Writes text; false if the client is behind, until `drain`. */
  write(text: string): boolean
  /** Ends the answer. */
  end(text?: string): unknown
  /** Cuts the connection off. */
  destroy(error?: Error): unknown
  /** Adds a listener. */
  on(event: 'close' | 'error' | 'drain', listener: () => void): unknown
  /** Removes a listener. */
  off(event: 'close' | 'error' | 'drain', listener: () => void): unknown
}

interface Drains {
  /** Adds a listener for one event. */
  once(event: 'drain', listener: () => void): unknown
  /** Removes it. */
  off(event: 'drain', listener: () => void): unknown
}

/** The body of a response whose headers were sent. */
export interface StreamBody {
  /** Emits `drain` when a client that was behind has caught up. */
  readonly drains: Drains
  /** Returns false if the client is behind. */
  write(text: string): boolean
  /** Sends what was written in this turn: before the response ends, which does not wait for it. */
  flush(): void
}

/**
 * Returns the body of a response. The texts of a plain response of `node:http` go to its socket as one chunk each, with
 * one system call: `response.write` makes three of a text, gathers them for the end of the turn, and takes half as long
 * again. A response that is anything else, such as one whose `write` compresses, is written by its own methods.
 */
export function streamBody(out: NodeResponse): StreamBody {
  const socket = plainSocket(out)
  return socket === undefined
    ? { drains: out, write: (text) => out.write(text), flush: () => {} }
    : new ChunkedBody(out, socket)
}

interface Socket extends Drains {
  /** Whether a `write` returned false, and `drain` is still to come. */
  readonly writableNeedDrain: boolean
  write(text: string, encoding: 'latin1' | 'utf8'): boolean
}

/** The part of Node's own `ServerResponse` that is used here. */
interface PlainResponse {
  readonly chunkedEncoding: boolean
  readonly socket: unknown
  hasHeader(name: string): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the parameters of a constructor that only `instanceof` uses
type Class<T> = abstract new (...args: any) => T

/** Node's globals, by `globalThis`: bundlers for other runtimes replace a bare `Buffer` or `process` by a polyfill. */
const node = globalThis as {
  readonly Buffer: { byteLength(text: string): number }
  readonly process: { nextTick(run: () => void): void }
}

/** Returns the socket of a response of `node:http` that nothing between has changed; undefined of every other one. */
function plainSocket(out: NodeResponse): Socket | undefined {
  const http = nodeModule('node:http') as { readonly OutgoingMessage: Class<PlainResponse & NodeResponse> } | undefined
  const net = nodeModule('node:net') as { readonly Socket: Class<Socket> } | undefined
  if (http === undefined || net === undefined || !(out instanceof http.OutgoingMessage)) return undefined
  const { socket } = out
  const isPlain =
    // Undefined while an earlier request of the connection is answered.
    socket instanceof net.Socket &&
    // Not for HTTP/1.0, whose bodies have no chunks.
    out.chunkedEncoding &&
    out.write === http.OutgoingMessage.prototype.write &&
    !out.hasHeader('content-encoding')
  return isPlain ? (socket as Socket) : undefined
}

/** The maximum number of characters that are gathered in a turn. */
const MAX_GATHERED = 16_384

/**
 * Sends the first text of a turn at once, while its stream is still in the processor's cache, and gathers the others: an
 * engine that is read late has many tokens at once. Texts that follow from the read of an engine's socket wait for the
 * other reads.
 */
class ChunkedBody implements StreamBody {
  readonly drains: Socket
  readonly #out: NodeResponse
  #turn = -1
  #gathered = ''

  constructor(out: NodeResponse, socket: Socket) {
    this.#out = out
    this.drains = socket
  }

  write(text: string): boolean {
    // A callback may run between the end of a turn and the sending of its texts.
    if (this.#gathered === '' && !afterReads(this.#flush)) {
      const turn = turnOfLoop()
      if (turn !== this.#turn) {
        this.#turn = turn
        return this.#send(text)
      }
      node.process.nextTick(this.#flush)
    }
    this.#gathered += text
    // What was gathered before may have filled the socket.
    return this.#gathered.length < MAX_GATHERED ? !this.drains.writableNeedDrain : this.#flush()
  }

  flush(): void {
    this.#flush()
  }

  readonly #flush = (): boolean => {
    const text = this.#gathered
    this.#gathered = ''
    return text === '' || this.#send(text)
  }

  #send(text: string): boolean {
    // A host may have ended it, and the socket then carries the next answer of the connection. Node reports the error.
    if (this.#out.writableEnded) return this.#out.write(text)
    const bytes = node.Buffer.byteLength(text)
    const chunk = `${bytes.toString(16)}\r\n${text}\r\n`
    // All of it is ASCII, which Node copies as it is.
    return this.drains.write(chunk, bytes === text.length ? 'latin1' : 'utf8')
  }
}

let turn = 0
let isTurnCounted = false

/** Returns the number of this turn of the event loop. */
function turnOfLoop(): number {
  if (!isTurnCounted) {
    isTurnCounted = true
    node.process.nextTick(endTurn)
  }
  return turn
}

function endTurn(): void {
  isTurnCounted = false
  turn += 1
}
