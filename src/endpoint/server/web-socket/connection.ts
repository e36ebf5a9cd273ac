import { RequestError } from '../../../shared/request-error.js'
import { createWork, withPauses } from '../../../shared/slices.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import { childSignals } from '../../flow/child-signals.js'
import { nextTurn } from '../../flow/next-turn.js'
import { errorAnswer } from '../error-answer.js'
import type { ServerContext } from '../server-context.js'
import type { Caller } from '../service/caller.js'
import { type BodyCount, createBodyCount } from '../service/limits/body-count.js'
import { type AnswerContext, answerCreate, type CreateMessage } from './answer.js'
import { errorEvent, frameOf, steerFailed } from './frames.js'
import { createIncoming } from './incoming.js'
import { createLanes } from './lanes.js'
import type { WebSocketLimits } from './limits.js'
import { createOutbox } from './outbox.js'
import type { Peer } from './peer.js'
import { readMessage, type SocketMessage } from './read-message.js'
import { createRemembered } from './remembered.js'

/** A client's connection. */
export interface SocketConnection {
  /** Takes a frame from the client: text, or the bytes of a binary one. */
  receive(data: unknown): void
  /** Handles a client that has left, or was lost. */
  leave(): void
  /** Closes the connection when all requests are answered. Resolves then, or when the client has left. */
  drain(): Promise<void>
  /** Stops waiting for the client, and leaves unread frames to the system. */
  hurry(): void
}

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

export function openConnection(options: ConnectionOptions): SocketConnection {
  const { server, caller, authorize, peer, limits, waitingSize } = options
  const { report } = server.service
  const { pause = nextTurn } = server.options
  const gone = new AbortController()
  const hold = (purpose: 'socket' | 'reader'): ByteHold => server.service.holdBytes(caller.owner, purpose)
  const unread = hold('reader')
  const outbox = createOutbox(peer, gone.signal, unread)
  /** The memory held by waiting requests, and by frames that the client has not read. */
  const holds = new Set<ByteHold>([unread])
  const remembered = createRemembered(limits.rememberedResponses)
  const forgetAll = server.service.keepBytes(remembered)
  const signals = childSignals(gone.signal)
  let closeWhenIdle = (): void => {}
  const lanes = createLanes({
    most: limits.waitingRequests,
    maxSize: waitingSize,
    refuse: (lane) => outbox.send(refusal(tooManyWaiting(), lane)),
    refuseNow: (lane) => outbox.sendNow(refusal(tooManyWaiting(), lane)),
    onIdle: () => closeWhenIdle(),
    pause,
    onError: report,
  })
  const incoming = createIncoming<Received>({
    most: limits.waitingMessages,
    read: async ({ data, count, held }) => {
      if (gone.signal.aborted) return
      const reading = readMessage(data, createWork(), server.options.request?.limits, count)
      const message = await withPauses(reading, pause)
      if (!gone.signal.aborted) take(message, typeof data === 'string' ? data.length : 0, held)
    },
    pause,
    hold: peer.hold,
    onFlood() {
      outbox.sendNow(refusal(tooManyMessages(), undefined))
      peer.close(1013, 'Too many messages.')
      leave()
    },
    onIdle: () => closeWhenIdle(),
    onError: report,
  })
  const shared: Omit<AnswerContext, 'caller'> = {
    server,
    remembered,
    running: new Map(),
    send: outbox.send,
    authorize,
  }
  async function answer(message: CreateMessage, held: ByteHold): Promise<void> {
    // A signal for each request, since many run at once, and each listens to its own.
    const { signal, end } = signals.open()
    await answerCreate(message, { ...shared, caller: { ...caller, signal, held } }).finally(end)
  }
  function release(held: ByteHold): void {
    held.end()
    holds.delete(held)
  }
  /**
   * @param size - the length of the message, in characters
   * @param held - its hold on the memory
   */
  function take(message: SocketMessage, size: number, held: ByteHold): void {
    const { lane } = message
    if (message.type === 'steer') {
      release(held)
      const { input, previousResponseId: steered } = message
      outbox.sendNow(frameOf(steerFailed(input, steered), shared.running.get(steered) ?? lane))
    } else if (message.type === 'refused') {
      release(held)
      const { error } = message
      lanes.add(lane, 0, async () => await outbox.send(refusal(error, lane)))
    } else {
      const { body } = message
      const isTaken = lanes.add(lane, size, () => answer({ body, lane, size }, held).finally(() => release(held)))
      if (!isTaken) release(held)
    }
  }
  function leave(): void {
    incoming.clear()
    lanes.clear()
    for (const held of holds) held.end()
    forgetAll()
    gone.abort()
    closeWhenIdle()
  }
  return {
    receive(data) {
      if (gone.signal.aborted) return
      const held = hold('socket')
      holds.add(held)
      const count = createBodyCount(held)
      try {
        // Counted here, since it may wait to be read.
        if (typeof data === 'string') count.bytes(data.length)
      } catch (error) {
        return take({ type: 'refused', error: error as RequestError, lane: undefined }, 0, held)
      }
      incoming.add({ data, count, held })
    },
    leave,
    drain: () =>
      new Promise((resolve) => {
        closeWhenIdle = () => {
          const isIdle = incoming.isIdle && lanes.isIdle
          if (!isIdle && !gone.signal.aborted) return
          peer.close(1001, 'The server is stopping.')
          resolve()
        }
        closeWhenIdle()
      }),
    hurry: outbox.hurry,
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
