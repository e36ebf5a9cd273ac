import type { InputItem } from '../../../../core/responses/input-items.js'
import type { Pause } from '../../../../shared/slices.js'
import type { Reclaimable } from '../../../flow/byte-budget.js'
import { deferred } from '../../../flow/deferred.js'
import { ExpiringBytes } from '../../../flow/expiring-bytes.js'
import { nextTurn } from '../../../flow/next-turn.js'
import type { HistoryEntry } from '../../../prompt/history.js'
import type { EarlierPrompt, KnownConversation } from '../../../prompt/known-conversation.js'
import type { FinishedResponse } from '../../../stores/store.js'
import { itemsOfResponses } from './earlier-responses.js'
import { withoutUnopenedReasoning } from './foreign-reasoning.js'

/** The conversation of some responses. */
export interface EarlierConversation {
  /** The items, each with an id. */
  readonly items: readonly InputItem[]
  /** The items as the model reads them: without sealed reasoning that could not be opened on arrival. */
  readonly readable: readonly InputItem[]
  readonly history: readonly HistoryEntry[]
  /** The remembered rendering; undefined if there was none. */
  readonly prompt: EarlierPrompt | undefined
}

/**
 * An entry of the cache, kept under a response. When the conversation continues, it grows, and moves to the next
 * response.
 */
interface Kept {
  readonly responseId: string
  /** The number of its responses. */
  count: number
  readonly items: InputItem[]
  readonly readable: InputItem[]
  readonly history: HistoryEntry[]
  known: KnownConversation | undefined
  /** Resolves when those that render it now, one after another, have ended. */
  rendered: Promise<void> | undefined
}

export interface KnownConversationsOptions {
  readonly clock: () => number
  /** Lets other work run. Default: a turn of the event loop. */
  readonly pause?: Pause
  /**
   * The limit in bytes, excluding the store's own items and transcripts. Default 67,108,864: some 10 million tokens.
   */
  readonly max?: number
  /** How long an entry is kept after its last use. Default 3600. */
  readonly seconds?: number
}

const REFERENCE = 8

/**
 * A cache of conversations as they were assembled and rendered for an earlier response, so that the next one does so
 * only for the new items. An evicted conversation is read from the store and rendered again.
 */
export class KnownConversations {
  readonly #kept: ExpiringBytes<Kept>
  readonly #pause: Pause

  constructor({ clock, pause = nextTurn, max = 67_108_864, seconds = 3600 }: KnownConversationsOptions) {
    this.#kept = new ExpiringBytes({ max, seconds, clock })
    this.#pause = pause
  }

  /** For the budget of the process to count. */
  get memory(): Reclaimable {
    return this.#kept
  }

  /** Returns the conversation of these responses. */
  of(responses: readonly FinishedResponse[]): EarlierConversation {
    const last = responses.at(-1)
    if (last === undefined) return { items: [], readable: [], history: [], prompt: undefined }
    const there = this.#latest(responses)
    // The same conversation: what one response renders is known to the others.
    const entry = there?.count === responses.length ? there : continued(there, responses, last)
    this.#keep(entry)
    const { items, readable, history } = entry
    return { items: items.slice(), readable: readable.slice(), history: history.slice(), prompt: this.#promptOf(entry) }
  }

  /** Forgets the conversation of these responses, because one of them is deleted. */
  forget(responses: readonly FinishedResponse[]): void {
    for (const { response } of responses) this.#kept.take(response.id)
  }

  #keep(entry: Kept): void {
    const lists = entry.items.length + entry.readable.length + entry.history.length
    this.#kept.keep(entry.responseId, entry, REFERENCE * lists + (entry.known?.bytes ?? 0))
  }

  /** Returns the entry for the longest known part of the conversation. */
  #latest(responses: readonly FinishedResponse[]): Kept | undefined {
    for (let at = responses.length - 1; at >= 0 && this.#kept.size > 0; at--) {
      const entry = this.#kept.take((responses[at] as FinishedResponse).response.id)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  #promptOf(entry: Kept): EarlierPrompt {
    return {
      items: entry.items.length,
      history: entry.history.length,
      begin: () => this.#beginRendering(entry),
      take() {
        const { known } = entry
        // Another response may continue from here while this one is rendered.
        entry.known = undefined
        return known
      },
      give: (known) => {
        entry.known = known
        // It may have continued, or been evicted, meanwhile.
        if (this.#kept.get(entry.responseId) === entry) this.#keep(entry)
      },
    }
  }

  /** Waits for those that render it now. Returns a function that lets the next one begin. */
  async #beginRendering(entry: Kept): Promise<() => void> {
    const earlier = entry.rendered
    const { promise: rendered, resolve: end } = deferred<void>()
    entry.rendered = rendered
    if (earlier !== undefined) {
      await earlier
      // Or all that wait would render in one turn.
      await this.#pause()
    }
    return () => {
      if (entry.rendered === rendered) entry.rendered = undefined
      end()
    }
  }
}

/** Returns the entry of a conversation that continues that of an earlier response, whose lists grow. */
function continued(
  there: Kept | undefined,
  responses: readonly FinishedResponse[],
  { response }: FinishedResponse,
): Kept {
  const before: Omit<Kept, 'responseId'> = there ?? {
    ...{ count: 0, items: [], readable: [], history: [], known: undefined, rendered: undefined },
  }
  const added = responses.slice(before.count)
  const items = itemsOfResponses(added)
  const history = added.flatMap((each) => each.history)
  const entry: Kept = { ...before, responseId: response.id, count: responses.length, rendered: undefined }
  // A request that is still to be rendered may hold the earlier entry, which is no longer its own.
  before.known = undefined
  for (const item of items) entry.items.push(item)
  for (const item of withoutUnopenedReasoning(items, history)) entry.readable.push(item)
  for (const one of history) entry.history.push(one)
  return entry
}
