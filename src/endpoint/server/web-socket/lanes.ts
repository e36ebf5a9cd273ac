import type { Pause } from '../../../shared/slices.js'

/** The requests of a connection: those of one lane run in order of arrival. */
export interface Lanes {
  /**
   * @param size - the length of the request, in characters
   * @returns whether it will be answered in its turn; otherwise it is refused in its turn
   */
  add(lane: string | undefined, size: number, answer: () => Promise<void>): boolean
  /** Whether all requests are answered. */
  readonly isIdle: boolean
  /** Forgets waiting requests. */
  clear(): void
}

export interface LanesOptions {
  /** The maximum number of running and waiting requests, on all lanes together. */
  readonly most: number
  /** Their total length in characters. A single request may have any. */
  readonly maxSize: number
  /** Refuses a request that was one too many, in its turn. */
  readonly refuse: (lane: string | undefined) => Promise<void> | undefined
  /** Does the same for an idle lane. */
  readonly refuseNow: (lane: string | undefined) => void
  /** Called when the last request is answered. */
  readonly onIdle: () => void
  /** Lets other work run between two requests of a lane. */
  readonly pause: Pause
  readonly onError: (error: unknown) => void
}

type Waiting =
  | { readonly size: number; readonly answer: () => Promise<void> }
  /** How many in a row were too many: they cost nothing, however many they are. */
  | { refused: number }

export function createLanes(options: LanesOptions): Lanes {
  const { most, maxSize, refuse, refuseNow, onIdle, pause, onError } = options
  const lanes = new Map<string | undefined, Waiting[]>()
  let count = 0
  let size = 0

  async function work(lane: string | undefined, waiting: Waiting[]): Promise<void> {
    let isFirst = true
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (!isFirst) await pause()
      isFirst = false
      // All waiting requests may have been forgotten meanwhile.
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
      const isFull = count >= most || (count > 0 && size + added > maxSize)
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
      // Running ones end by themselves.
      for (const waiting of lanes.values()) waiting.length = 0
    },
  }
}
