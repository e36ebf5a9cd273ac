/*
 * Long work is done in slices, so that other work need not wait for all of it. One code path serves callers that need
 * the result at once and those that let other work run between two slices.
 */

/** Work in slices of some milliseconds: it yields between slices, and returns its result. @inline */
export type Slices<Result> = Generator<undefined, Result, undefined>

/** Waits until other work has run. @inline */
export type Pause = () => Promise<void>

/** Runs all slices at once. */
export function atOnce<Result>(slices: Slices<Result>): Result {
  let step = slices.next()
  while (!step.done) step = slices.next()
  return step.value
}

/**
 * Runs all slices, with a pause after each but the last.
 *
 * @param signal - stops the work when it aborts
 * @throws the signal's reason
 */
export async function withPauses<Result>(slices: Slices<Result>, pause: Pause, signal?: AbortSignal): Promise<Result> {
  for (let step = slices.next(); ; step = slices.next()) {
    if (step.done) return step.value
    await pause()
    signal?.throwIfAborted()
  }
}

/**
 * Creates a pace for an async function: it returns a promise that resolves after the pause if one is due, else
 * undefined.
 */
export function createPace(pause: Pause, signal?: AbortSignal): (cost: number) => Promise<void> | undefined {
  const work = createWork()
  return (cost) => {
    work.left -= cost
    return work.left > 0 ? undefined : withPauses(work.pause(), pause, signal)
  }
}

/** The work that is left before the next pause. */
export interface Work {
  /** Counted down by the worker, which pauses at 0. */
  left: number
  pause(): Slices<void>
}

/** Pauses after a short pass over a list, if the list is long: several such passes in one slice would be a long one. */
export function* onePass({ length }: { readonly length: number }, work: Work): Slices<void> {
  work.left -= length
  if (work.left <= 0) yield* work.pause()
}

/** How many characters are read, or pairs merged, in some milliseconds. */
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
