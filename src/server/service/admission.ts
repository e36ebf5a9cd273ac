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

/**
 * Lets responses in, in the order in which they came, but for two rules that keep places free: background responses have
 * at most three quarters of the places and of the queue, and an owner has more than half of either only while no other
 * owner waits.
 */
export interface Admission {
  readonly running: number
  readonly waiting: number
  /**
   * Resolves when there is room, with what gives the place back.
   *
   * @throws RequestError with status 429 if the queue is full or the owner has too much in here, 503 if the server
   * is stopping; the signal's reason
   */
  enter(owner: string, signal?: AbortSignal, isBackground?: boolean): Promise<() => void>
  /** Refuses new responses. Resolves when the last one is over. */
  drain(): Promise<void>
}

/** A response that waits for its turn. */
interface Visitor {
  readonly owner: string
  readonly isBackground: boolean
  /** Takes it out of the queue: into its place, or refused. */
  readonly leaveQueue: (error?: RequestError) => void
}

/**
 * @param onChange - called after every change
 */
export function createAdmission(
  { concurrency = 256, queue = 256, concurrencyPerOwner }: AdmissionLimits = {},
  onChange: (load: { readonly running: number; readonly waiting: number }) => void = () => {},
): Admission {
  const mostOfOwner = concurrencyPerOwner ?? Number.POSITIVE_INFINITY
  let isDraining = false
  const running = createCounts()
  const waiting = new Set<Visitor>()
  const emptied = new Set<() => void>()

  const changed = (): void => onChange({ running: running.all, waiting: waiting.size })
  const inQueue = (count: (visitor: Visitor) => boolean): number => [...waiting].filter(count).length
  const hasPlace = (isBackground: boolean): boolean =>
    running.all < concurrency && (!isBackground || running.background < backgroundShare(concurrency))

  /** Who is let in next: the first that may, of an owner with less than half of the places if there is one. */
  function next(): Visitor | undefined {
    const able = [...waiting].filter(({ isBackground }) => hasPlace(isBackground))
    return able.find(({ owner }) => running.of(owner) < concurrency / 2) ?? able[0]
  }

  /** Who gives up its place in a full queue for another owner: the last of the owner who has more than half of it. */
  function displacedBy(owner: string): Visitor | undefined {
    return [...waiting].findLast(
      (last) => last.owner !== owner && inQueue((visitor) => visitor.owner === last.owner) > queue / 2,
    )
  }

  function leave(owner: string, isBackground: boolean): void {
    running.add(owner, isBackground, -1)
    for (let visitor = next(); visitor !== undefined; visitor = next()) visitor.leaveQueue()
    changed()
    if (running.all === 0) for (const resolve of emptied) resolve()
  }

  /** A place, which is given back once however often its function is called. */
  function place(owner: string, isBackground: boolean): () => void {
    running.add(owner, isBackground, 1)
    changed()
    let isLeft = false
    return () => {
      if (!isLeft) leave(owner, isBackground)
      isLeft = true
    }
  }

  /** Makes room in the queue. @throws RequestError if there is none */
  function checkQueue(owner: string, isBackground: boolean): void {
    if (isBackground && inQueue((visitor) => visitor.isBackground) >= backgroundShare(queue)) throw tooMany()
    if (waiting.size < queue) return
    const displaced = displacedBy(owner)
    if (displaced === undefined) throw tooMany()
    displaced.leaveQueue(tooMany())
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
      if (isDraining) throw stopping()
      if (running.of(owner) + inQueue((visitor) => visitor.owner === owner) >= mostOfOwner) throw tooManyOfOwner()
      if (hasPlace(isBackground)) return place(owner, isBackground)
      checkQueue(owner, isBackground)
      return new Promise((resolve, reject) => {
        const leaveQueue = (error?: unknown): void => {
          signal?.removeEventListener('abort', abort)
          waiting.delete(visitor)
          if (error === undefined) resolve(place(owner, isBackground))
          else reject(error)
          changed()
        }
        const abort = (): void => leaveQueue(signal?.reason)
        const visitor: Visitor = { owner, isBackground, leaveQueue }
        signal?.addEventListener('abort', abort)
        waiting.add(visitor)
        changed()
      })
    },
    async drain() {
      isDraining = true
      for (const { leaveQueue } of [...waiting]) leaveQueue(stopping())
      if (running.all > 0) await new Promise<void>((resolve) => emptied.add(resolve))
    },
  }
}

/** How many of so many places background responses may have. One at least, or they would never be made. */
function backgroundShare(places: number): number {
  return Math.min(places, Math.max(1, Math.floor((places * 3) / 4)))
}

/** How many responses are being made: of all, of each owner, in the background. */
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

function tooMany(): RequestError {
  return new RequestError('The server is busy. Please try again later.', { status: 429, code: 'rate_limit_exceeded' })
}

function tooManyOfOwner(): RequestError {
  const message = 'Too many of your requests are being answered. Please try again later.'
  return new RequestError(message, { status: 429, code: 'rate_limit_exceeded' })
}

export function stopping(): RequestError {
  return new RequestError('The server is stopping.', { status: 503, code: 'server_is_overloaded' })
}
