/** Whose turn some work takes: an owner's, or `first` for what must not wait for any owner's reading. */
export type Turn = { readonly owner: string } | 'first'

/** Work that waits for the database. */
export interface FairQueue<Work> {
  add(work: Work, turn: Turn): void
  /** Takes the next piece; undefined if none waits. */
  next(): Work | undefined
}

/**
 * Owners take turns, however much work each of them has: what one owner asks for waits for one piece of each other
 * owner at most. The work of an owner is done in order.
 */
export function createFairQueue<Work>(): FairQueue<Work> {
  const first: Work[] = []
  /** The waiting work of each owner; the owner whose turn is next comes first. */
  const owners = new Map<string, Work[]>()
  return {
    add(work, turn) {
      if (turn === 'first') {
        first.push(work)
        return
      }
      const waiting = owners.get(turn.owner)
      if (waiting === undefined) owners.set(turn.owner, [work])
      else waiting.push(work)
    },
    next() {
      if (first.length > 0) return first.shift()
      for (const [owner, waiting] of owners) {
        const work = waiting.shift()
        owners.delete(owner)
        if (waiting.length > 0) owners.set(owner, waiting)
        return work
      }
      return undefined
    },
  }
}
