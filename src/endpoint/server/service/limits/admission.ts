import { RequestError } from '../../../../shared/request-error.js'
import { deferred } from '../../../flow/deferred.js'

/** Limits of running and waiting responses. */
export interface AdmissionLimits {
  /** Concurrent responses. Default 256. */
  readonly concurrency?: number
  /** Waiting responses. Default 256. Any more are answered with 429. */
  readonly queue?: number
  /**
   * One owner's share of both together. Any more are answered with 429, so that an owner with many requests takes no
   * place from others. Default: no limit.
   */
  readonly concurrencyPerOwner?: number
}

/** An accepted response. */
export interface Visit {
  /** Resolves when it has a place; undefined if it has one at once. Never rejects. */
  readonly turn: Promise<void> | undefined
  /** Leaves its place, or the queue. */
  readonly leave: () => void
}

interface Load {
  readonly running: number
  readonly waiting: number
}

interface Arrival {
  readonly owner: string
  readonly isBackground: boolean
  /** Called when one that waits has a place. */
  readonly onTurn: () => void
  /** Called when one that waits is refused. Absent: it is accepted. */
  readonly onRefuse?: (error: RequestError) => void
}

/** A response that waits for its turn. */
interface Visitor extends Pick<Arrival, 'owner' | 'isBackground'> {
  /** Gives it a place. */
  readonly admit: () => void
  /** Refuses it. Undefined if it was accepted. */
  readonly refuse: ((error: RequestError) => void) | undefined
}

/**
 * Admits responses in order of arrival, with two rules that keep places free: background responses get at most three
 * quarters of the places and of the queue, and an owner more than half of either only while no other owner waits.
 */
export class Admission {
  readonly #concurrency: number
  readonly #queue: number
  readonly #maxOfOwner: number
  readonly #onChange: (load: Load) => void
  readonly #now: () => number
  readonly #running = new Counts()
  readonly #waiting = new Set<Visitor>()
  readonly #emptied = new Set<() => void>()
  #isDraining = false
  /** How long a response took, in milliseconds, the last ones most. */
  #usualMs = 0

  /**
   * @param onChange - called after every change
   * @param now - milliseconds of a monotonic clock
   */
  constructor(
    { concurrency = 256, queue = 256, concurrencyPerOwner = Number.POSITIVE_INFINITY }: AdmissionLimits = {},
    onChange: (load: Load) => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#concurrency = concurrency
    this.#queue = queue
    this.#maxOfOwner = concurrencyPerOwner
    this.#onChange = onChange
    this.#now = now
  }

  get running(): number {
    return this.#running.all
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves when there is room, with a function that frees the place.
   *
   * @throws RequestError with status 429 if the queue is full or the owner has too many responses, 503 if the server is
   * stopping; the signal's reason
   */
  async enter(owner: string, signal?: AbortSignal, isBackground = false): Promise<() => void> {
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const settle = <Value>(settled: (value: Value) => void, value: Value): void => {
        signal?.removeEventListener('abort', abort)
        settled(value)
      }
      const abort = (): void => {
        visit.leave()
        settle(reject, signal?.reason)
      }
      const visit = this.#arrive({
        ...{ owner, isBackground },
        onTurn: () => settle(resolve, visit.leave),
        onRefuse: (error) => settle(reject, error),
      })
      if (visit.waits) signal?.addEventListener('abort', abort)
      else resolve(visit.leave)
    })
  }

  /**
   * Accepts a background response, whose client need not wait for its turn. Once accepted, it is not refused any more.
   *
   * @throws RequestError like {@link enter}
   */
  accept(owner: string): Visit {
    const { promise: turn, resolve: onTurn } = deferred<void>()
    const { waits, leave } = this.#arrive({ owner, isBackground: true, onTurn })
    return { turn: waits ? turn : undefined, leave }
  }

  /** Refuses new responses, and those that wait without being accepted. Resolves when the last one has ended. */
  async drain(): Promise<void> {
    this.#isDraining = true
    for (const { refuse } of [...this.#waiting]) refuse?.(stopping())
    if (this.running > 0) await new Promise<void>((resolve) => this.#emptied.add(resolve))
  }

  /** Takes a place, or one in the queue. Returns a function that leaves either. @throws RequestError */
  #arrive({ owner, isBackground, onTurn, onRefuse }: Arrival): { readonly waits: boolean; readonly leave: () => void } {
    this.#checkArrival(owner)
    if (this.#hasPlace(isBackground)) return { waits: false, leave: this.#place(owner, isBackground) }
    this.#checkQueue(owner, isBackground)
    let leave = (): void => {
      if (this.#waiting.delete(visitor)) this.#changed()
    }
    const visitor: Visitor = {
      ...{ owner, isBackground },
      admit: () => {
        this.#waiting.delete(visitor)
        leave = this.#place(owner, isBackground)
        onTurn()
      },
      refuse:
        onRefuse &&
        ((error) => {
          leave()
          onRefuse(error)
        }),
    }
    this.#waiting.add(visitor)
    this.#changed()
    return { waits: true, leave: () => leave() }
  }

  /** Takes a place, and returns a function that frees it, once however often it is called. */
  #place(owner: string, isBackground: boolean): () => void {
    this.#running.add(owner, isBackground, 1)
    this.#changed()
    const began = this.#now()
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const took = this.#now() - began
      this.#usualMs += (took - this.#usualMs) * (this.#usualMs === 0 ? 1 : WEIGHT_OF_LAST)
      this.#free(owner, isBackground)
    }
  }

  #free(owner: string, isBackground: boolean): void {
    this.#running.add(owner, isBackground, -1)
    for (let visitor = this.#next(); visitor !== undefined; visitor = this.#next()) visitor.admit()
    this.#changed()
    if (this.running === 0) for (const resolve of this.#emptied) resolve()
  }

  /** Returns the next to admit: the first admissible one, preferably of an owner with less than half of the places. */
  #next(): Visitor | undefined {
    const able = [...this.#waiting].filter(({ isBackground }) => this.#hasPlace(isBackground))
    return able.find(({ owner }) => this.#running.of(owner) < this.#concurrency / 2) ?? able[0]
  }

  #hasPlace(isBackground: boolean): boolean {
    const { all, background } = this.#running
    return all < this.#concurrency && (!isBackground || background < backgroundShare(this.#concurrency))
  }

  /** @throws RequestError if the server is stopping, or the owner has too many responses */
  #checkArrival(owner: string): void {
    if (this.#isDraining) throw stopping()
    const running = this.#running.of(owner)
    if (running + this.#countWaiting((visitor) => visitor.owner === owner) < this.#maxOfOwner) return
    throw tooManyOfOwner(this.#waitFor(running))
  }

  /** Makes room in the queue. @throws RequestError if there is none */
  #checkQueue(owner: string, isBackground: boolean): void {
    const inBackground = this.#countWaiting((visitor) => visitor.isBackground)
    if (isBackground && inBackground >= backgroundShare(this.#queue)) {
      throw tooMany(this.#waitFor(this.#running.background))
    }
    if (this.waiting < this.#queue) return
    const displaced = this.#displacedBy(owner)
    if (displaced === undefined) throw tooMany(this.#waitFor(this.running))
    displaced.refuse?.(tooMany(this.#waitFor(this.running)))
  }

  /**
   * Returns the response that gives up its place in a full queue for another owner: the last one that is not
   * accepted yet, of the owner who has more than half of it.
   */
  #displacedBy(owner: string): Visitor | undefined {
    return [...this.#waiting].findLast(
      (last) =>
        last.refuse !== undefined &&
        last.owner !== owner &&
        this.#countWaiting((visitor) => visitor.owner === last.owner) > this.#queue / 2,
    )
  }

  #countWaiting(counts: (visitor: Visitor) => boolean): number {
    return [...this.#waiting].filter(counts).length
  }

  /** Returns when one of so many running responses will probably have ended. */
  #waitFor(count: number): number {
    return Math.min(this.#usualMs / Math.max(count, 1), MAX_WAIT_MS)
  }

  #changed(): void {
    this.#onChange({ running: this.running, waiting: this.waiting })
  }
}

const WEIGHT_OF_LAST = 0.2
/** The longest wait that a refusal names: an estimate says nothing about later, and clients ignore a longer one. */
const MAX_WAIT_MS = 60_000

/** Returns how many places background responses may have: at least one, or they would never run. */
function backgroundShare(places: number): number {
  return Math.min(places, Math.max(1, Math.floor((places * 3) / 4)))
}

/** Counts the running responses: in total, by owner, in the background. */
class Counts {
  all = 0
  background = 0
  readonly #owners = new Map<string, number>()

  of(owner: string): number {
    return this.#owners.get(owner) ?? 0
  }

  add(owner: string, isBackground: boolean, change: 1 | -1): void {
    this.all += change
    if (isBackground) this.background += change
    const count = this.of(owner) + change
    if (count === 0) this.#owners.delete(owner)
    else this.#owners.set(owner, count)
  }
}

/** @param retryAfterMs - until a place is probably free */
export function tooMany(retryAfterMs?: number): RequestError {
  const message = 'The server is busy. Please try again later.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded', retryAfterMs })
}

function tooManyOfOwner(retryAfterMs: number): RequestError {
  const message = 'Too many of your requests are being answered. Please try again later.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded', retryAfterMs })
}

export function stopping(): RequestError {
  return new RequestError('The server is stopping.', { status: 503, code: 'server_is_overloaded' })
}
