/** How much is done between two pauses. */
export interface Work {
  /** Counted down by whatever works, which pauses at 0. */
  left: number
  pause(): Generator<undefined, void>
}

/** @param slice - the work between two pauses */
export function createWork(slice: number): Work {
  return {
    left: slice,
    *pause() {
      yield
      this.left = slice
    },
  }
}
