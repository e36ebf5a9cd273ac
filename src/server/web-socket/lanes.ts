import type { Pause } from '../../slices.js'

/** The requests of a connection: those of a lane one after the other, in the order in which they came. */
export interface Lanes {
  /**
   * @param size - of the request, in characters
   * @returns whether it is answered when it is its turn; else it is refused then
   */
  add(lane: string | undefined, size: number, answer: () => Promise<void>): boolean
  /** Whether all requests are answered. */
  readonly isIdle: boolean
  /** Forgets the requests that wait. */
  clear(): void
}

export interface LanesOptions {
  /** How many requests are being answered or wait, on all lanes together. */
  readonly most: number
  /** Of them all, in characters. One request alone may be of any size. */
  readonly mostSize: number
  /** Answers a request that was one too many, when it is its turn. */
  readonly refuse: (lane: string | undefined) => Promise<void> | undefined
  /** The same for a lane on which nothing is answered. */
  readonly refuseNow: (lane: string | undefined) => void
  /** Called when the last request is answered. */
  readonly onIdle: () => void
  /** Lets others go first, between two requests of a lane. */
  readonly pause: Pause
  readonly onError: (error: unknown) => void
}

type Waiting =
  | { readonly size: number; readonly answer: () => Promise<void> }
  /** How many were one too many, one after the other: they cost nothing, however many they are. */
  | { refused: number }

export function createLanes(options: LanesOptions): Lanes {
  const { most, mostSize, refuse, refuseNow, onIdle, pause, onError } = options
  const lanes = new Map<string | undefined, Waiting[]>()
  let count = 0
  let size = 0

  async function work(lane: string | undefined, waiting: Waiting[]): Promise<void> {
    let isFirst = true
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (!isFirst) await pause()
      isFirst = false
      // All that waits may have been forgotten meanwhile.
      if (waiting.length === 0) break
      if ('refused' in next) {
        next.refused -= 1
        if (next.refused === 0) waiting.shift()
        await refuse(lane)
        continue
      }
      await next.answer().catch(onError)
      count -= 1
      size -= next.size
      waiting.shift()
    }
    lanes.delete(lane)
    if (lanes.size === 0) onIdle()
  }

  return {
    add(lane, added, answer) {
      const waiting = lanes.get(lane)
      const isFull = count >= most || (count > 0 && size + added > mostSize)
      if (isFull && waiting === undefined) {
        refuseNow(lane)
        return false
      }
      if (isFull) {
        const last = waiting?.at(-1)
        if (last !== undefined && 'refused' in last) last.refused += 1
        else waiting?.push({ refused: 1 })
        return false
      }
      count += 1
      size += added
      if (waiting !== undefined) {
        waiting.push({ size: added, answer })
        return true
      }
      const opened = [{ size: added, answer }]
      lanes.set(lane, opened)
      work(lane, opened)
      return true
    },
    get isIdle() {
      return lanes.size === 0
    },
    clear() {
      // Those that are being answered end by themselves.
      for (const waiting of lanes.values()) waiting.length = 0
    },
  }
}
