import { RequestError } from '../../../shared/request-error.js'
import { createWork, type Pause, withPauses } from '../../../shared/slices.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import { childSignals } from '../../flow/child-signals.js'
import { nextTurn } from '../../flow/next-turn.js'
import { errorAnswer } from '../error-answer.js'
import type { ServerContext } from '../server-context.js'
import type { Caller } from '../service/caller.js'
import { type BodyCount, createBodyCount } from '../service/limits/body-count.js'
import { answerCreate, type CreateMessage } from './answer.js'
import { errorEvent, frameOf, steerFailed } from './frames.js'
import { createIncoming, type Incoming } from './incoming.js'
import { Lanes } from './lanes.js'
import type { WebSocketLimits } from './limits.js'
import { createOutbox, type Outbox } from './outbox.js'
import type { Peer } from './peer.js'
import { readMessage, type SocketMessage } from './read-message.js'
import { Remembered } from './remembered.js'

export interface ConnectionOptions {
  readonly server: ServerContext
  readonly caller: Caller
  /** Checks that the caller may still send requests. @throws RequestError if not */
  readonly authorize: () => Promise<void>
  readonly peer: Peer
  readonly limits: Required<WebSocketLimits>
  /** The length of all waiting requests of the connection, in characters. */
  readonly waitingSize: number
}

/** A frame that waits to be read, and the memory that it holds. */
interface Received {
  readonly data: unknown
  readonly count: BodyCount
  readonly held: ByteHold
}

/** A client's connection. */
export class SocketConnection {
  readonly #options: ConnectionOptions
  readonly #gone = new AbortController()
  readonly #outbox: Outbox
  /** The memory held by waiting requests, and by frames that the client has not read. */
  readonly #holds = new Set<ByteHold>()
  readonly #remembered: Remembered
  readonly #forgetAll: () => void
  readonly #signals = childSignals(this.#gone.signal)
  readonly #lanes: Lanes
  readonly #incoming: Incoming<Received>
  /** The running responses, with their lanes. */
  readonly #running = new Map<string, string | undefined>()
  #closeWhenIdle = (): void => {}

  constructor(options: ConnectionOptions) {
    const { server, peer, limits } = options
    this.#options = options
    const unread = this.#hold('reader')
    this.#outbox = createOutbox(peer, this.#gone.signal, unread)
    this.#remembered = new Remembered(limits.rememberedResponses)
    this.#forgetAll = server.service.keepBytes(this.#remembered)
    this.#lanes = this.#openLanes()
    this.#incoming = this.#openIncoming()
  }

  /** Takes a frame from the client: text, or the bytes of a binary one. */
  receive(data: unknown): void {
    if (this.#gone.signal.aborted) return
    const held = this.#hold('socket')
    const count = createBodyCount(held)
    try {
      // Counted here, since it may wait to be read.
      if (typeof data === 'string') count.bytes(data.length)
    } catch (error) {
      this.#take({ type: 'refused', error: error as RequestError, lane: undefined }, 0, held)
      return
    }
    this.#incoming.add({ data, count, held })
  }

  /** Handles a client that has left, or was lost. */
  leave(): void {
    this.#incoming.clear()
    this.#lanes.clear()
    for (const held of this.#holds) held.end()
    this.#forgetAll()
    this.#gone.abort()
    this.#closeWhenIdle()
  }

  /** Closes the connection when all requests are answered. Resolves then, or when the client has left. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#closeWhenIdle = () => {
        const isIdle = this.#incoming.isIdle && this.#lanes.isIdle
        if (!isIdle && !this.#gone.signal.aborted) return
        this.#options.peer.close(1001, 'The server is stopping.')
        resolve()
      }
      this.#closeWhenIdle()
    })
  }

  /** Stops waiting for the client, and leaves unread frames to the system. */
  hurry(): void {
    this.#outbox.hurry()
  }

  #openLanes(): Lanes {
    const { server, limits, waitingSize } = this.#options
    return new Lanes({
      max: limits.waitingRequests,
      maxSize: waitingSize,
      refuse: (lane) => this.#outbox.send(refusal(tooManyWaiting(), lane)),
      refuseNow: (lane) => this.#outbox.sendNow(refusal(tooManyWaiting(), lane)),
      onIdle: () => this.#closeWhenIdle(),
      pause: this.#pause,
      onError: server.service.report,
    })
  }

  #openIncoming(): Incoming<Received> {
    const { server, peer, limits } = this.#options
    return createIncoming({
      max: limits.waitingMessages,
      read: (received) => this.#read(received),
      pause: this.#pause,
      hold: peer.hold,
      onFlood: () => {
        this.#outbox.sendNow(refusal(tooManyMessages(), undefined))
        peer.close(1013, 'Too many messages.')
        this.leave()
      },
      onIdle: () => this.#closeWhenIdle(),
      onError: server.service.report,
    })
  }

  get #pause(): Pause {
    return this.#options.server.options.pause ?? nextTurn
  }

  #hold(purpose: 'socket' | 'reader'): ByteHold {
    const { server, caller } = this.#options
    const held = server.service.holdBytes(caller.owner, purpose)
    this.#holds.add(held)
    return held
  }

  #release(held: ByteHold): void {
    held.end()
    this.#holds.delete(held)
  }

  async #read({ data, count, held }: Received): Promise<void> {
    const { signal } = this.#gone
    if (signal.aborted) return
    const reading = readMessage(data, createWork(), this.#options.server.options.request?.limits, count)
    const message = await withPauses(reading, this.#pause)
    if (!signal.aborted) this.#take(message, typeof data === 'string' ? data.length : 0, held)
  }

  /**
   * @param size - the length of the message, in characters
   * @param held - its hold on the memory
   */
  #take(message: SocketMessage, size: number, held: ByteHold): void {
    const { lane } = message
    if (message.type === 'steer') {
      this.#release(held)
      const { input, previousResponseId: steered } = message
      this.#outbox.sendNow(frameOf(steerFailed(input, steered), this.#running.get(steered) ?? lane))
    } else if (message.type === 'refused') {
      this.#release(held)
      const { error } = message
      this.#lanes.add(lane, 0, async () => await this.#outbox.send(refusal(error, lane)))
    } else {
      const { body } = message
      const answer = () => this.#answer({ body, lane, size }, held).finally(() => this.#release(held))
      if (!this.#lanes.add(lane, size, answer)) this.#release(held)
    }
  }

  async #answer(message: CreateMessage, held: ByteHold): Promise<void> {
    const { server, caller, authorize } = this.#options
    // A signal for each request, since many run at once, and each listens to its own.
    const { signal, end } = this.#signals.open()
    await answerCreate(message, {
      ...{ server, authorize, remembered: this.#remembered, running: this.#running, send: this.#outbox.send },
      caller: { ...caller, signal, held },
    }).finally(end)
  }
}

function refusal(error: RequestError, lane: string | undefined): string {
  return frameOf(errorEvent(errorAnswer(error, () => {})), lane)
}

function tooManyMessages(): RequestError {
  const message = 'Too many messages wait on this WebSocket. Wait for an answer before you send more.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded' })
}

function tooManyWaiting(): RequestError {
  const message = 'Too many requests wait on this WebSocket. Wait for an answer before you send more.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded' })
}
