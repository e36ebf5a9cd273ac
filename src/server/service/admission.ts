import { check } from '../../errors.js'
import { RequestError } from '../../request-error.js'

/** How many responses run at once, and how many wait for their turn. */
export interface AdmissionLimits {
  /** Default 256. */
  readonly concurrency?: number
  /** Default 256. Those that come when it is full are answered with 429. */
  readonly queue?: number
}

/** Lets responses in, in the order in which they came. */
export interface Admission {
  readonly running: number
  readonly waiting: number
  /**
   * Resolves when there is room, with what gives the place back.
   *
   * @throws RequestError with status 429 if the queue is full, 503 if nobody is let in any more; the signal's reason
   */
  enter(signal?: AbortSignal): Promise<() => void>
  /** Lets nobody in any more. Resolves when nobody is left. */
  drain(): Promise<void>
}

/**
 * @param onChange - is told of every change
 * @throws HarmonyResponsesError `bad_option`
 */
export function createAdmission(
  { concurrency = 256, queue = 256 }: AdmissionLimits = {},
  onChange: (load: { readonly running: number; readonly waiting: number }) => void = () => {},
): Admission {
  check(Number.isInteger(concurrency) && concurrency > 0, 'limits.concurrency', 'a whole number above 0', concurrency)
  check(Number.isInteger(queue) && queue >= 0, 'limits.queue', 'a whole number', queue)
  let running = 0
  let isDraining = false
  const waiting = new Set<(error?: RequestError) => void>()
  const emptied = new Set<() => void>()

  const changed = (): void => onChange({ running, waiting: waiting.size })

  function leave(): void {
    running -= 1
    const [next] = waiting
    if (next !== undefined) {
      waiting.delete(next)
      next()
    }
    changed()
    if (running === 0) for (const resolve of emptied) resolve()
  }

  /** A place, which is given back once however often its function is called. */
  function place(): () => void {
    running += 1
    changed()
    let isLeft = false
    return () => {
      if (!isLeft) leave()
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
    async enter(signal) {
      signal?.throwIfAborted()
      if (isDraining) throw stopping()
      if (running < concurrency) return place()
      if (waiting.size >= queue) throw tooMany()
      return new Promise((resolve, reject) => {
        const settle = (error?: unknown): void => {
          signal?.removeEventListener('abort', abort)
          if (error === undefined) resolve(place())
          else reject(error)
        }
        const abort = (): void => {
          waiting.delete(settle)
          changed()
          settle(signal?.reason)
        }
        signal?.addEventListener('abort', abort)
        waiting.add(settle)
        changed()
      })
    },
    async drain() {
      isDraining = true
      for (const settle of waiting) settle(stopping())
      waiting.clear()
      changed()
      if (running > 0) await new Promise<void>((resolve) => emptied.add(resolve))
    },
  }
}

function tooMany(): RequestError {
  return new RequestError('The server is busy. Please try again later.', { status: 429, code: 'rate_limit_exceeded' })
}

function stopping(): RequestError {
  return new RequestError('The server is stopping.', { status: 503, code: 'server_is_overloaded' })
}
