import { createFairQueue, type Turn } from './fair-queue.js'

/** Runs work on a bounded number of connections. */
export interface Lanes {
  /** Runs work in its turn. Rejects if the lanes are closed. */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>
  /** Resolves when all work that was asked for is done. */
  close(): Promise<void>
}

/** The connections that no owner's reading takes: for appends, for ends, and for who has died. */
const FIRST = 3
/** The fewest connections of a store. */
export const MIN_CONNECTIONS: number = FIRST + 1

/** @param connections - how many there are, at least {@link MIN_CONNECTIONS} */
export function createLanes(connections: number): Lanes {
  const first = createLane(FIRST)
  const owners = createLane(connections - FIRST)
  return {
    run: (turn, work) => (turn === 'first' ? first : owners).run(turn, work),
    close: async () => void (await Promise.all([first.close(), owners.close()])),
  }
}

function createLane(max: number): Lanes {
  const queue = createFairQueue<() => Promise<void>>()
  let running = 0
  let waiting = 0
  let isClosed = false
  let idle = (): void => {}

  function start(): void {
    while (running < max) {
      const work = queue.next()
      if (work === undefined) return
      waiting -= 1
      running += 1
      void work().then(() => {
        running -= 1
        start()
        if (running + waiting === 0) idle()
      })
    }
  }

  return {
    run(turn, work) {
      if (isClosed) return Promise.reject(new Error('the store is closed'))
      return new Promise((resolve, reject) => {
        queue.add(() => work().then(resolve, reject), turn)
        waiting += 1
        start()
      })
    },
    async close() {
      isClosed = true
      if (running + waiting === 0) return
      await new Promise<void>((resolve) => {
        idle = resolve
      })
    },
  }
}
