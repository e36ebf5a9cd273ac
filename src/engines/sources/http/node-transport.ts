import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { nodeModule } from '../../../shared/system/node-module.js'
import { reading } from '../../../shared/system/reads.js'
import type { TextSink } from '../../contract/engine-server.js'
import type { Answer, SentRequest, Transport } from './answer.js'

/** How long a connection may take, and how long a server may be silent. An engine in an endpoint has shorter limits. */
const CONNECT_SECONDS = 10
const SILENT_SECONDS = 600
/** How long the end of a body may take whose content is complete. A server that takes longer loses the connection. */
const END_MS = 250

interface NodeHttp {
  readonly Agent: new (options: { readonly keepAlive: boolean }) => Agent
  readonly request: (url: string, options: RequestOptions) => ClientRequest
}

/**
 * Sends requests to one server with Node's own client. Bypassing web streams halves the processor time of reading a
 * token. Undefined on other runtimes, even those with a `node:http` of their own.
 *
 * @param isSecure - whether by TLS
 */
export function nodeTransport(isSecure: boolean): Transport | undefined {
  const client = nodeModule(isSecure ? 'node:https' : 'node:http') as NodeHttp | undefined
  if (client === undefined) return undefined
  const agent = new client.Agent({ keepAlive: true })
  const connected = isSecure ? 'secureConnect' : 'connect'
  return (url, request) => {
    const { method, headers } = request
    return send(() => client.request(url, { method, headers: Object.fromEntries(headers), agent }), connected, request)
  }
}

/** @param begun - the event of a socket that is connected */
function send(begin: () => ClientRequest, begun: string, { body, signal }: SentRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const sent = begin()
    let answer: NodeAnswer | undefined
    const end = (error: unknown): void => {
      if (answer === undefined) sent.destroy(error as Error)
      else answer.breakOff(error)
    }
    const abort = (): void => end(signal.reason)
    signal.addEventListener('abort', abort)
    const timer = setTimeout(() => {
      sent.destroy(new Error(`no connection in ${CONNECT_SECONDS} seconds`))
    }, CONNECT_SECONDS * 1000)
    const connected = (): void => clearTimeout(timer)
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once(begun, connected)
      else connected()
    })
    sent.setTimeout(SILENT_SECONDS * 1000, () => {
      end(new Error(`the server was silent for ${SILENT_SECONDS} seconds`))
    })
    sent.on('close', () => {
      connected()
      signal.removeEventListener('abort', abort)
      // Node reports nothing else of an answer that switches to another protocol: its caller would wait forever.
      reject(new Error('the connection was closed without an answer'))
    })
    sent.on('error', reject)
    sent.on('response', (message) => {
      answer = new NodeAnswer(message)
      resolve(answer)
    })
    // Passed to `end` as a whole, so that Node sends its length. A prompt of ids is ASCII, which is copied as it is.
    if (body === undefined) sent.end()
    else sent.end(body, isAscii(body) ? 'latin1' : 'utf8')
  })
}

/** By `globalThis`: bundlers for other runtimes replace a bare `Buffer` by a polyfill. */
const node = globalThis as { readonly Buffer: { byteLength(text: string): number } }

function isAscii(text: string): boolean {
  return node.Buffer.byteLength(text) === text.length
}

class NodeAnswer implements Answer {
  readonly #message: IncomingMessage
  #isCancelled = false

  constructor(message: IncomingMessage) {
    this.#message = message
    // Without a listener, an error of an abandoned process would be uncaught.
    message.on('error', () => {})
  }

  get status(): number {
    return this.#message.statusCode ?? 0
  }

  get statusText(): string {
    return this.#message.statusMessage ?? ''
  }

  header(name: string): string | null {
    const value = this.#message.headers[name]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  }

  read(sink: TextSink): void {
    const message = this.#message
    let isOver = false
    const over = (tell: () => void): void => {
      if (!this.#isCancelled && !isOver) tell()
      isOver = true
    }
    message.setEncoding('utf8')
    message.on('error', (error) => over(() => sink.fail(error)))
    message.on('end', () => over(() => sink.end()))
    // Destroyed before it was read: neither other event follows.
    message.on('close', () => over(() => sink.fail(message.errored ?? new Error('the connection was closed'))))
    const take = (piece: string): void => {
      if (!sink.text(piece) && !this.#isCancelled) message.pause()
    }
    message.on('data', (piece: string) => {
      if (!this.#isCancelled && !isOver) reading(() => take(piece))
    })
  }

  /**
   * Closes the connection of a body that is not complete. With a complete one, another request may have the connection, or
   * get it next: an error would meet a socket without a listener, which ends the process.
   */
  breakOff(error: unknown): void {
    if (!this.#isCancelled && !this.#message.complete) this.#message.destroy(error as Error)
  }

  resume(): void {
    if (!this.#isCancelled) this.#message.resume()
  }

  cancel(): void {
    this.#isCancelled = true
    // A connection whose answer is complete can be used again.
    if (this.#message.complete) this.#message.resume()
    else this.#message.destroy()
  }

  release(): void {
    const message = this.#message
    if (this.#isCancelled || message.complete) {
      this.cancel()
      return
    }
    this.#isCancelled = true
    const timer = setTimeout(() => message.destroy(), END_MS)
    message.on('close', () => clearTimeout(timer))
    message.resume()
  }
}
