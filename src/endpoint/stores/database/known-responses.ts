import type { Slices, Work } from '../../../shared/slices.js'
import type { Reclaimable } from '../../flow/byte-budget.js'
import { ExpiringBytes } from '../../flow/expiring-bytes.js'
import { bytesOfFinished } from '../bytes-of.js'
import { compacted } from '../compacted.js'
import { after, type PathEnd, valuesOf } from '../path.js'
import type { FinishedResponse } from '../store.js'

/** A row of the database. No other row has had its stamp, not even one of another response with the same id. */
export interface Stamped {
  readonly responseId: string
  readonly stamp: string
}

/** A finished response as it is kept, with its size in bytes. */
export interface ReadResponse extends Stamped {
  readonly finished: FinishedResponse
  readonly bytes: number
}

/** A finished response that was read, with those that it continues. */
export interface KnownResponse extends Stamped {
  readonly finished: FinishedResponse
  readonly place: PathEnd<FinishedResponse>
  readonly tree: Tree
}

/** A conversation that was read. */
interface Tree {
  readonly key: string
  readonly members: Map<string, KnownResponse>
  bytes: number
}

/**
 * The finished responses that were read or written here: neither they nor what they continue changes, so that a known
 * conversation is not read again. Only the database says whether a response still exists. Whole conversations are
 * forgotten, the least recently used first.
 */
export class KnownResponses {
  readonly #max: number
  readonly #known = new Map<string, KnownResponse>()
  readonly #trees: ExpiringBytes<Tree>

  /** @param options - `max`: the limit in bytes; `seconds`: how long a conversation is kept after its last use */
  constructor(options: { readonly max: number; readonly seconds: number; readonly clock: () => number }) {
    this.#max = options.max
    this.#trees = new ExpiringBytes<Tree>({ ...options, onForget: (tree) => this.#forgetMembers(tree) })
  }

  /** For the budget of the process to count. */
  get memory(): Reclaimable {
    return this.#trees
  }

  get({ responseId, stamp }: Stamped): KnownResponse | undefined {
    const known = this.#known.get(responseId)
    if (known === undefined) return undefined
    // Another process has deleted the conversation, and used the id again.
    if (known.stamp !== stamp) this.#trees.drop(known.tree.key)
    else if (this.#trees.renew(known.tree.key) !== undefined) return known
    return undefined
  }

  stampOf(responseId: string): string | undefined {
    return this.#known.get(responseId)?.stamp
  }

  /**
   * Adds responses that continue each other, at least one, in their order.
   *
   * @param previous - the one that they continue; undefined if they begin a conversation
   * @returns the last one
   */
  add(responses: readonly [ReadResponse, ...ReadResponse[]], previous: KnownResponse | undefined): KnownResponse {
    const [{ responseId, stamp }] = responses
    const tree = previous?.tree ?? { key: `${responseId} ${stamp}`, members: new Map(), bytes: 0 }
    this.#open(tree)
    let last = previous
    for (const { bytes, ...response } of responses) last = this.#addOne(response, bytes, last, tree)
    if (tree.bytes <= this.#max) this.#trees.keep(tree.key, tree, tree.bytes)
    else {
      this.#trees.take(tree.key)
      this.#forgetMembers(tree)
    }
    return last as KnownResponse
  }

  /** Forgets the conversation of a response. */
  forget(responseId: string): void {
    const known = this.#known.get(responseId)
    if (known !== undefined) this.#trees.drop(known.tree.key)
  }

  /** A conversation may have been forgotten, and read again, while another reader had it. */
  #open(tree: Tree): void {
    if (this.#trees.get(tree.key) === tree) return
    this.#trees.drop(tree.key)
    for (const member of tree.members.values()) this.#known.set(member.responseId, member)
  }

  #addOne(
    response: Omit<ReadResponse, 'bytes'>,
    bytes: number,
    previous: KnownResponse | undefined,
    tree: Tree,
  ): KnownResponse {
    const there = tree.members.get(response.responseId)
    if (there?.stamp === response.stamp) return there
    const known = { ...response, place: after(previous?.place, response.finished), tree }
    tree.members.set(response.responseId, known)
    tree.bytes += bytes
    this.#known.set(response.responseId, known)
    return known
  }

  #forgetMembers({ members }: Tree): void {
    for (const [id, member] of members) if (this.#known.get(id) === member) this.#known.delete(id)
  }
}

/** Returns a response as it is kept. */
export function* readResponse(
  { responseId, stamp }: Stamped,
  given: FinishedResponse,
  work: Work,
): Slices<ReadResponse> {
  const finished = compacted(given)
  return { responseId, stamp, finished, bytes: yield* bytesOfFinished(finished, work) }
}

/** Returns a response after those that it continues, the first one first. */
export function lineageOf({ place }: KnownResponse): readonly FinishedResponse[] {
  return valuesOf(place)
}
