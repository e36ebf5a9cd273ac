import { createWork, type Slices, type Work, withPauses } from '../../shared/slices.js'
import { nextTurn } from '../flow/next-turn.js'

/**
 * Work of a store that is done in slices, after the call that caused it has returned: each owner's in its order. What
 * takes no more than a slice, as nearly all does, is done at once.
 */
export class OwnersWork {
  readonly #work = createWork()
  readonly #waiting = new Map<string, Promise<void>>()

  /**
   * Begins work of an owner.
   *
   * @param begin - called once
   * @returns when it is done; undefined if it is
   */
  do(owner: string, begin: (work: Work) => Slices<void>): Promise<void> | undefined {
    const slices = begin(this.#work)
    const before = this.#waiting.get(owner)
    if (before === undefined && slices.next().done) return undefined
    const done = (before ?? Promise.resolve()).then(nextTurn).then(() => withPauses(slices, nextTurn))
    this.#waiting.set(owner, done)
    const end = (): void => {
      if (this.#waiting.get(owner) === done) this.#waiting.delete(owner)
    }
    return done.then(end)
  }

  /** Returns when all work that an owner has now is done; undefined if there is none. */
  of(owner: string): Promise<void> | undefined {
    return this.#waiting.get(owner)
  }
}
