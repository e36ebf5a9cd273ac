import type { EngineServer, PassedAnswer, PassedPath } from '../../../engines/contract/engine-server.js'
import { EngineError } from '../../../engines/contract/index.js'
import { RequestError } from '../../../shared/request-error.js'
import { type Queue, queue } from '../../flow/queue.js'
import { encodeJson } from '../encode-json.js'
import type { Caller } from './caller.js'
import { stopping } from './limits/admission.js'
import { passedBody } from './passed-body.js'
import type { Setup } from './setup.js'

/** A piece of an answer's text. */
export type PassedPiece = {
  readonly type: 'piece'
  /** A part of the text, cut anywhere. */
  readonly text: string
}

/** An answer of the engine's server, at its reader's pace. */
export interface PassedOn {
  /** Whether it is a stream of server-sent events. Otherwise it is JSON. */
  readonly isStream: boolean
  /** The text in pieces, at its reader's pace. */
  readonly pieces: Queue<readonly PassedPiece[], void>
}

/** A request to pass on. */
export interface PassedRequest {
  /** The path on the engine's server. */
  readonly path: PassedPath
  /** The client's, as JSON. */
  readonly body: unknown
  /** Returns the last event of a stream that fails between two events; any other answer that fails is cut off. */
  readonly failed: (error: unknown) => string
}

/**
 * Passes a request on to the engine's server, which answers it: with a place among the running responses, and within
 * the limits of a model call's silence.
 *
 * @throws RequestError; EngineError
 */
export async function passOn(
  setup: Setup,
  server: EngineServer,
  { path, body, failed }: PassedRequest,
  caller: Caller,
): Promise<PassedOn> {
  const turn = setup.arrivals.pass(caller)
  if (turn !== undefined) await turn
  const leave = await setup.admission.enter(caller.owner, caller.signal)
  const work = openWork(setup, caller.signal, leave)
  try {
    const { signal } = work
    const sent = await passedBody(setup, server, body, { owner: caller.owner, signal })
    // The span of this request, if there is one, is the parent of the engine's.
    const trace = caller.observed?.span?.trace ?? caller.trace
    const json = await encodeJson(sent)
    const answer = await server.post(path, json, { signal, ...(trace && { trace }) }).catch((error: unknown) => {
      throw refusalOf(error, path, sent['model'], setup.report) ?? error
    })
    return { isStream: answer.isStream, pieces: piecesOf(answer, work, failed) }
  } catch (error) {
    work.end()
    throw error
  }
}

/** A passed request while it is answered. */
interface Work {
  /** Aborts when the client leaves, the service stops, or a limit is reached, which is its reason. */
  readonly signal: AbortSignal
  readonly hasClientLeft: () => boolean
  readonly maxBytes: number
  /** Awaits the engine's next piece. */
  awaits(): void
  /** The engine has answered, or its client is behind. */
  rests(): void
  /** Frees its place. Idempotent. */
  end(): void
}

function openWork({ stop, deadlines, options }: Setup, client: AbortSignal | undefined, leave: () => void): Work {
  const {
    firstTokenSeconds = 600,
    tokenSeconds = 60,
    responseSeconds,
    passedBytes = 268_435_456,
  } = options.limits ?? {}
  const work = new AbortController()
  let seconds = firstTokenSeconds
  const silence = deadlines.open(() => work.abort(failure(`the engine was silent for ${seconds} seconds`)))
  silence.start(seconds)
  const whole = deadlines.open(() =>
    work.abort(failure(`the engine did not end its answer in ${responseSeconds} seconds`)),
  )
  if (responseSeconds !== undefined) whole.start(responseSeconds)
  const leaves = (): void => work.abort(client?.reason)
  client?.addEventListener('abort', leaves)
  if (client?.aborted) leaves()
  const stays = stop.onStop(() => work.abort(stopping()))
  return {
    signal: work.signal,
    hasClientLeft: () => client?.aborted === true,
    maxBytes: passedBytes,
    awaits() {
      seconds = tokenSeconds
      silence.start(seconds)
    },
    rests: () => silence.stop(),
    end() {
      for (const deadline of [silence, whole]) deadline.end()
      client?.removeEventListener('abort', leaves)
      stays()
      leave()
    },
  }
}

function piecesOf(answer: PassedAnswer, work: Work, failed: (error: unknown) => string): PassedOn['pieces'] {
  const utf8 = new TextEncoder()
  let bytes = 0
  /** The end of what was passed on, which shows whether a stream is between two events. */
  let tail = '\n\n'
  let isOver = false
  let end = (): void => {}
  const over = (settle: () => void): void => {
    if (isOver) return
    isOver = true
    work.end()
    settle()
  }
  return queue<readonly PassedPiece[], void>(
    (write) =>
      new Promise((resolve, reject) => {
        end = resolve
        const fail = (cause: unknown): void => {
          const { signal } = work
          const error: unknown = signal.aborted ? signal.reason : cause
          answer.cancel()
          over(() => {
            if (work.hasClientLeft()) return resolve()
            if (!answer.isStream || !BETWEEN.test(tail)) return reject(error)
            write([{ type: 'piece', text: failed(error) }])
            resolve()
          })
        }
        answer.read({
          text(text) {
            work.rests()
            bytes += utf8.encode(text).length
            if (bytes > work.maxBytes) {
              fail(failure(`expected an answer of at most ${work.maxBytes} bytes, got more`))
              return false
            }
            tail = (tail + text).slice(-4)
            const taken = write([{ type: 'piece', text }])
            if (taken === undefined) {
              work.awaits()
              return true
            }
            Promise.resolve(taken).then(() => {
              if (isOver) return
              work.awaits()
              answer.resume()
            })
            return false
          },
          end: () => over(resolve),
          fail,
        })
      }),
    () => {
      answer.cancel()
      over(end)
    },
  )
}

/** The blank line after an event. */
const BETWEEN = /\n\r?\n$/

function failure(message: string): EngineError {
  return new EngineError('server_error', message)
}

/** Statuses of a path or a model that the engine's server lacks. */
const NOT_SERVED: readonly unknown[] = [404, 405, 501]

/**
 * Returns the error for what the engine's server lacks, in our own words, since its own name its address. Only the host
 * is told those about a path: it can start the engine with it.
 */
function refusalOf(
  error: unknown,
  path: PassedPath,
  model: unknown,
  report: (error: unknown) => void,
): RequestError | undefined {
  const { status } = Object(error) as Partial<EngineError>
  if (!(error instanceof Error) || !NOT_SERVED.includes(status)) return undefined
  if (status === 404 && typeof model === 'string') {
    const message = `The engine has no model '${model.slice(0, 80)}', or no ${path}.`
    return new RequestError(message, { status: 404, param: 'model', code: 'model_not_found' })
  }
  report(error)
  return new RequestError(`The engine does not answer ${path}.`, { status: 404, code: 'unknown_url' })
}
