import { RequestError } from '../../../../shared/request-error.js'

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

/**
 * Admits responses in order of arrival, with two rules that keep places free: background responses get at most three
 * quarters of the places and of the queue, and an owner more than half of either only while no other owner waits.
 */
export interface Admission {
  readonly running: number
  readonly waiting: number
  /**
   * Resolves when there is room, with a function that frees the place.
   *
   * @throws RequestError with status 429 if the queue is full or the owner has too many responses, 503 if the server is
   * stopping; the signal's reason
   */
  enter(owner: string, signal?: AbortSignal, isBackground?: boolean): Promise<() => void>
  /**
   * Accepts a background response, whose client need not wait for its turn. Once accepted, it is not refused any more.
   *
   * @throws RequestError like {@link enter}
   */
  accept(owner: string): Visit
  /** Refuses new responses, and those that wait without being accepted. Resolves when the last one has ended. */
  drain(): Promise<void>
}

/** An accepted response. */
export interface Visit {
  /** Resolves when it has a place; undefined if it has one at once. Never rejects. */
  readonly turn: Promise<void> | undefined
  /** Leaves its place, or the queue. */
  readonly leave: () => void
}

/** A response that waits for its turn. */
interface Visitor {
  readonly owner: string
  readonly isBackground: boolean
  /** Gives it a place. */
  readonly admit: () => void
  /** Refuses it. Undefined if it was accepted. */
  readonly refuse: ((error: RequestError) => void) | undefined
}

/**
 * @param onChange - called after every change
 * @param now - milliseconds of a monotonic clock
 */
export function createAdmission(
  { concurrency = 256, queue = 256, concurrencyPerOwner }: AdmissionLimits = {},
  onChange: (load: { readonly running: number; readonly waiting: number }) => void = () => {},
  now: () => number = () => performance.now(),
): Admission {
  const maxOfOwner = concurrencyPerOwner ?? Number.POSITIVE_INFINITY
  let isDraining = false
  const running = createCounts()
  const waiting = new Set<Visitor>()
  const emptied = new Set<() => void>()
  /** How long a response took, in milliseconds, the last ones most. */
  let usualMs = 0

  const changed = (): void => onChange({ running: running.all, waiting: waiting.size })
  const inQueue = (count: (visitor: Visitor) => boolean): number => [...waiting].filter(count).length
  const hasPlace = (isBackground: boolean): boolean =>
    running.all < concurrency && (!isBackground || running.background < backgroundShare(concurrency))

  /** Returns the next to admit: the first admissible one, preferably of an owner with less than half of the places. */
  function next(): Visitor | undefined {
    const able = [...waiting].filter(({ isBackground }) => hasPlace(isBackground))
    return able.find(({ owner }) => running.of(owner) < concurrency / 2) ?? able[0]
  }

  /**
   * Returns the response that gives up its place in a full queue for another owner: the last one that is not
   * accepted yet, of the owner who has more than half of it.
   */
  function displacedBy(owner: string): Visitor | undefined {
    return [...waiting].findLast(
      (last) =>
        last.refuse !== undefined &&
        last.owner !== owner &&
        inQueue((visitor) => visitor.owner === last.owner) > queue / 2,
    )
  }

  function leave(owner: string, isBackground: boolean): void {
    running.add(owner, isBackground, -1)
    for (let visitor = next(); visitor !== undefined; visitor = next()) visitor.admit()
    changed()
    if (running.all === 0) for (const resolve of emptied) resolve()
  }

  /** Takes a place, and returns a function that frees it, once however often it is called. */
  function place(owner: string, isBackground: boolean): () => void {
    running.add(owner, isBackground, 1)
    changed()
    const began = now()
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const took = now() - began
      usualMs += (took - usualMs) * (usualMs === 0 ? 1 : WEIGHT_OF_LAST)
      leave(owner, isBackground)
    }
  }

  /** Returns when one of so many running responses will probably have ended. */
  const waitFor = (count: number): number => Math.min(usualMs / Math.max(count, 1), MAX_WAIT_MS)

  /** Makes room in the queue. @throws RequestError if there is none */
  function checkQueue(owner: string, isBackground: boolean): void {
    if (isBackground && inQueue((visitor) => visitor.isBackground) >= backgroundShare(queue)) {
      throw tooMany(waitFor(running.background))
    }
    if (waiting.size < queue) return
    const displaced = displacedBy(owner)
    if (displaced === undefined) throw tooMany(waitFor(running.all))
    displaced.refuse?.(tooMany(waitFor(running.all)))
  }

  /**
   * Takes a place, or one in the queue.
   *
   * @param onTurn - called when one that waits has a place, with the function that frees it
   * @param onRefuse - called when one that waits is refused. Absent: it was accepted
   * @returns a function that leaves either, and whether it has to wait
   * @throws RequestError
   */
  function arrive(
    owner: string,
    isBackground: boolean,
    onTurn: () => void,
    onRefuse?: (error: RequestError) => void,
  ): { readonly waits: boolean; readonly leave: () => void } {
    if (isDraining) throw stopping()
    if (running.of(owner) + inQueue((visitor) => visitor.owner === owner) >= maxOfOwner) {
      throw tooManyOfOwner(waitFor(running.of(owner)))
    }
    if (hasPlace(isBackground)) return { waits: false, leave: place(owner, isBackground) }
    checkQueue(owner, isBackground)
    let leave = (): void => {
      if (waiting.delete(visitor)) changed()
    }
    const visitor: Visitor = {
      ...{ owner, isBackground },
      admit() {
        waiting.delete(visitor)
        leave = place(owner, isBackground)
        onTurn()
      },
      refuse:
        onRefuse &&
        ((error) => {
          leave()
          onRefuse(error)
        }),
    }
    waiting.add(visitor)
    changed()
    return { waits: true, leave: () => leave() }
  }

  return {
    get running() {
      return running.all
    },
    get waiting() {
      return waiting.size
    },
    async enter(owner, signal, isBackground = false) {
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
        const visit = arrive(
          owner,
          isBackground,
          () => settle(resolve, visit.leave),
          (error) => settle(reject, error),
        )
        if (visit.waits) signal?.addEventListener('abort', abort)
        else resolve(visit.leave)
      })
    },
    accept(owner) {
      let onTurn = (): void => {}
      const turn = new Promise<void>((resolve) => {
        onTurn = resolve
      })
      const { waits, leave } = arrive(owner, true, onTurn)
      return { turn: waits ? turn : undefined, leave }
    },
    async drain() {
      isDraining = true
      for (const { refuse } of [...waiting]) refuse?.(stopping())
      if (running.all > 0) await new Promise<void>((resolve) => emptied.add(resolve))
    },
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
function createCounts() {
  const owners = new Map<string, number>()
  let all = 0
  let background = 0
  return {
    get all() {
      return all
    },
    get background() {
      return background
    },
    of: (owner: string): number => owners.get(owner) ?? 0,
    add(owner: string, isBackground: boolean, change: 1 | -1): void {
      all += change
      if (isBackground) background += change
      const count = (owners.get(owner) ?? 0) + change
      if (count === 0) owners.delete(owner)
      else owners.set(owner, count)
    },
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
