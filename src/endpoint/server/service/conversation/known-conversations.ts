import type { InputItem } from '../../../../core/responses/input-items.js'
import type { Pause } from '../../../../shared/slices.js'
import type { Reclaimable } from '../../../flow/byte-budget.js'
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
 * A cache of conversations as they were assembled and rendered for an earlier response, so that the next one does so
 * only for the new items. An evicted conversation is read from the store and rendered again.
 */
export interface KnownConversations {
  /** For the budget of the process to count. */
  readonly memory: Reclaimable
  /** Returns the conversation of these responses. */
  of(responses: readonly FinishedResponse[]): EarlierConversation
  /** Forgets the conversation of these responses, because one of them is deleted. */
  forget(responses: readonly FinishedResponse[]): void
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
  readonly most?: number
  /** How long an entry is kept after its last use. Default 3600. */
  readonly seconds?: number
}

const REFERENCE = 8

export function createKnownConversations(options: KnownConversationsOptions): KnownConversations {
  const { clock, pause = nextTurn, most = 67_108_864, seconds = 3600 } = options
  const kept = new ExpiringBytes<Kept>({ most, seconds, clock })

  function keep(entry: Kept): void {
    const lists = entry.items.length + entry.readable.length + entry.history.length
    kept.keep(entry.responseId, entry, REFERENCE * lists + (entry.known?.bytes ?? 0))
  }

  /** Returns the entry for the longest known part of the conversation. */
  function latest(responses: readonly FinishedResponse[]): Kept | undefined {
    for (let at = responses.length - 1; at >= 0 && kept.size > 0; at--) {
      const entry = kept.take((responses[at] as FinishedResponse).response.id)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  function conversationOf(entry: Kept): EarlierConversation {
    return {
      items: entry.items.slice(),
      readable: entry.readable.slice(),
      history: entry.history.slice(),
      prompt: {
        items: entry.items.length,
        history: entry.history.length,
        async begin() {
          const earlier = entry.rendered
          let end = (): void => {}
          const rendered = new Promise<void>((resolve) => {
            end = resolve
          })
          entry.rendered = rendered
          if (earlier !== undefined) {
            await earlier
            // Or all that wait would render in one turn.
            await pause()
          }
          return () => {
            if (entry.rendered === rendered) entry.rendered = undefined
            end()
          }
        },
        take() {
          const { known } = entry
          // Another response may continue from here while this one is rendered.
          entry.known = undefined
          return known
        },
        give(known) {
          entry.known = known
          // It may have continued, or been evicted, meanwhile.
          if (kept.get(entry.responseId) === entry) keep(entry)
        },
      },
    }
  }

  return {
    memory: kept,
    of(responses) {
      const last = responses.at(-1)
      if (last === undefined) return { items: [], readable: [], history: [], prompt: undefined }
      const there = latest(responses)
      // The same conversation: what one response renders is known to the others.
      if (there?.count === responses.length) {
        keep(there)
        return conversationOf(there)
      }
      const before: Omit<Kept, 'responseId'> = there ?? {
        ...{ count: 0, items: [], readable: [], history: [], known: undefined, rendered: undefined },
      }
      const added = responses.slice(before.count)
      const items = itemsOfResponses(added)
      const history = added.flatMap((response) => response.history)
      const entry: Kept = { ...before, responseId: last.response.id, count: responses.length, rendered: undefined }
      // A request that is still to be rendered may hold the earlier entry, which is no longer its own.
      before.known = undefined
      for (const item of items) entry.items.push(item)
      for (const item of withoutUnopenedReasoning(items, history)) entry.readable.push(item)
      for (const one of history) entry.history.push(one)
      keep(entry)
      return conversationOf(entry)
    },
    forget(responses) {
      for (const { response } of responses) kept.take(response.id)
    },
  }
}
