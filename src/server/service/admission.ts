import { check } from '../../errors.js'
import { RequestError } from '../../request-error.js'

/** How many responses are made at once, and how many wait for their turn. */
export interface AdmissionLimits {
  /** Default 256. */
  readonly concurrency?: number
  /** Default 256. Those that come when it is full are answered with 429. */
  readonly queue?: number
  /**
   * How many of them all are one owner's, made or waiting. Those that come then are answered with 429, so that an owner
   * who asks for too much keeps no place from others. Default: no limit.
   */
  readonly concurrencyPerOwner?: number
}

/** Lets responses in, in the order in which they came. */
export interface Admission {
  readonly running: number
  readonly waiting: number
  /**
   * Resolves when there is room, with what gives the place back.
   *
   * @throws RequestError with status 429 if the queue is full or the owner has too much in here, 503 if nobody is let in
   * any more; the signal's reason
   */
  enter(owner: string, signal?: AbortSignal): Promise<() => void>
  /** Lets nobody in any more. Resolves when nobody is left. */
  drain(): Promise<void>
}

/**
 * @param onChange - called after every change
 * @throws HarmonyResponsesError `bad_option`
 */
export function createAdmission(
  { concurrency = 256, queue = 256, concurrencyPerOwner }: AdmissionLimits = {},
  onChange: (load: { readonly running: number; readonly waiting: number }) => void = () => {},
): Admission {
  check(Number.isInteger(concurrency) && concurrency > 0, 'limits.concurrency', 'a whole number above 0', concurrency)
  check(Number.isInteger(queue) && queue >= 0, 'limits.queue', 'a whole number', queue)
  const isRight =
    concurrencyPerOwner === undefined || (Number.isInteger(concurrencyPerOwner) && concurrencyPerOwner > 0)
  check(isRight, 'limits.concurrencyPerOwner', 'a whole number above 0', concurrencyPerOwner)
  const mostOfOwner = concurrencyPerOwner ?? Number.POSITIVE_INFINITY
  let running = 0
  let isDraining = false
  const waiting = new Set<(error?: RequestError) => void>()
  /** How many of each owner's are in here, made or waiting. */
  const counts = new Map<string, number>()
  const emptied = new Set<() => void>()

  const changed = (): void => onChange({ running, waiting: waiting.size })

  function count(owner: string, change: 1 | -1): void {
    const after = countOf(owner) + change
    if (after === 0) counts.delete(owner)
    else counts.set(owner, after)
  }
  const countOf = (owner: string): number => counts.get(owner) ?? 0

  function leave(owner: string): void {
    running -= 1
    count(owner, -1)
    const [next] = waiting
    if (next !== undefined) {
      waiting.delete(next)
      next()
    }
    changed()
    if (running === 0) for (const resolve of emptied) resolve()
  }

  /** A place, which is given back once however often its function is called. */
  function place(owner: string): () => void {
    running += 1
    count(owner, 1)
    changed()
    let isLeft = false
    return () => {
      if (!isLeft) leave(owner)
      isLeft = true
    }
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return waiting.size
    },
    async enter(owner, signal) {
      signal?.throwIfAborted()
      if (isDraining) throw stopping()
      if (countOf(owner) >= mostOfOwner) throw tooManyOfOwner()
      if (running < concurrency) return place(owner)
      if (waiting.size >= queue) throw tooMany()
      count(owner, 1)
      return new Promise((resolve, reject) => {
        const leaveQueue = (error?: unknown): void => {
          signal?.removeEventListener('abort', abort)
          count(owner, -1)
          if (error === undefined) resolve(place(owner))
          else reject(error)
        }
        const abort = (): void => {
          waiting.delete(leaveQueue)
          changed()
          leaveQueue(signal?.reason)
        }
        signal?.addEventListener('abort', abort)
        waiting.add(leaveQueue)
        changed()
      })
    },
    async drain() {
      isDraining = true
      for (const leaveQueue of waiting) leaveQueue(stopping())
      waiting.clear()
      changed()
      if (running > 0) await new Promise<void>((resolve) => emptied.add(resolve))
    },
  }
}

function tooMany(): RequestError {
  return new RequestError('The server is busy. Please try again later.', { status: 429, code: 'rate_limit_exceeded' })
}

function tooManyOfOwner(): RequestError {
  const message = 'Too many of your requests are being answered. Please try again later.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded' })
}

function stopping(): RequestError {
  return new RequestError('The server is stopping.', { status: 503, code: 'server_is_overloaded' })
}
