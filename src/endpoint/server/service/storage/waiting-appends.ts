import type { Append } from '../../../stores/store.js'

/** Appends that wait for the store. */
export interface WaitingAppends<Waiting> {
  add(one: Waiting): void
  /**
   * Takes the next ones, one for each response: a second append of the same response depends on the first.
   *
   * @param max - the maximum number
   * @param maxBytes - the bytes of entries after which no more is taken
   */
  take(max: number, maxBytes: number): TakenAppends<Waiting>
}

export interface TakenAppends<Waiting> {
  readonly taken: readonly Waiting[]
  /** Whether a limit was reached. */
  readonly isFull: boolean
}

/**
 * Owners take turns, however many appends each of them has. One that is not taken waits behind those of other owners
 * that waited with it, once.
 */
export function createWaitingAppends<Waiting extends { readonly append: Append }>(): WaitingAppends<Waiting> {
  /** The appends of each owner's responses; whose turn is next comes first. */
  const owners = new Map<string, Map<string, Waiting[]>>()

  function put(responseId: string, owner: string, appends: Waiting[]): void {
    const responses = owners.get(owner)
    if (responses === undefined) owners.set(owner, new Map([[responseId, appends]]))
    else responses.set(responseId, appends)
  }

  return {
    add(one) {
      const { responseId, owner } = one.append.lease
      const appends = owners.get(owner)?.get(responseId)
      if (appends === undefined) put(responseId, owner, [one])
      else appends.push(one)
    },
    take(max, maxBytes) {
      const taken: Waiting[] = []
      /** The other appends of the responses that are taken. */
      const left: (readonly [string, string, Waiting[]])[] = []
      let bytes = 0
      const isFull = (): boolean => taken.length >= max || bytes >= maxBytes
      // What is put back comes behind all others, and is met after the last of them.
      for (const [owner, responses] of owners) {
        owners.delete(owner)
        for (const [responseId, appends] of responses) {
          responses.delete(responseId)
          const one = appends.shift()
          if (one !== undefined) {
            taken.push(one)
            bytes += bytesOf(one.append)
          }
          if (appends.length > 0) left.push([responseId, owner, appends])
          break
        }
        if (responses.size > 0) owners.set(owner, responses)
        if (isFull()) break
      }
      for (const [responseId, owner, appends] of left) put(responseId, owner, appends)
      return { taken, isFull: isFull() }
    },
  }
}

/** The entries of an ending are about as large as its response. */
function bytesOf({ entries, end }: Append): number {
  return (entries?.bytes.length ?? 0) + (end?.entries?.bytes.length ?? 0)
}
