/*
 * Work that takes longer than other work may wait: it is done in slices. One code path serves who wants the result at
 * once, and who lets others go first between two slices.
 */

/** Work in slices of some milliseconds: yields where other work may be done, and returns its result. */
export type Slices<Result> = Generator<undefined, Result, undefined>

/** Waits until other work was done. */
export type Pause = () => Promise<void>

/** Does all slices at once. */
export function atOnce<Result>(slices: Slices<Result>): Result {
  let step = slices.next()
  while (!step.done) step = slices.next()
  return step.value
}

/**
 * Does them with a pause after each but the last.
 *
 * @param signal - the rest is not done once it aborts
 * @throws the signal's reason
 */
export async function withPauses<Result>(slices: Slices<Result>, pause: Pause, signal?: AbortSignal): Promise<Result> {
  for (let step = slices.next(); ; step = slices.next()) {
    if (step.done) return step.value
    await pause()
    signal?.throwIfAborted()
  }
}

/** The same for an async function: resolves after a pause where one is due, and is undefined where none is. */
export function createPace(pause: Pause, signal?: AbortSignal): (cost: number) => Promise<void> | undefined {
  const work = createWork()
  return (cost) => {
    work.left -= cost
    return work.left > 0 ? undefined : withPauses(work.pause(), pause, signal)
  }
}

/** How much is done between two pauses. */
export interface Work {
  /** Counted down by whatever works, which pauses at 0. */
  left: number
  pause(): Slices<void>
}

/** Characters that are read, or pairs of them that are merged, in some milliseconds. */
const SLICE = 16_384

/** @param slice - the work between two pauses */
export function createWork(slice: number = SLICE): Work {
  return {
    left: slice,
    *pause() {
      yield
      this.left = slice
    },
  }
}
