import type { Reclaimable } from '../../byte-budget.js'
import type { HistoryEntry } from '../../prompt/history.js'
import type { EarlierPrompt, KnownConversation } from '../../prompt/known-conversation.js'
import type { InputItem } from '../../responses/input-items.js'
import { ExpiringBytes } from '../../stores/expiring-bytes.js'
import type { FinishedResponse } from '../../stores/store.js'
import { itemsOfResponses } from './earlier-responses.js'
import { withoutUnopenedReasoning } from './foreign-reasoning.js'

/** The conversation that some responses are. */
export interface EarlierConversation {
  /** Each with an id. */
  readonly items: readonly InputItem[]
  /** The same, as the model reads them: without sealed reasoning that could not be opened when it came. */
  readonly readable: readonly InputItem[]
  readonly history: readonly HistoryEntry[]
  /** What is remembered of how it was rendered; undefined if there was none before. */
  readonly prompt: EarlierPrompt | undefined
}

/**
 * Conversations as they were put together and rendered for an earlier response, so that the next one does it for what is
 * new alone. A forgotten conversation is read from the store and rendered again.
 */
export interface KnownConversations {
  /** For the budget of the process to count. */
  readonly memory: Reclaimable
  /** The conversation of these responses. */
  of(responses: readonly FinishedResponse[]): EarlierConversation
  /** Forgets what is known of the conversation of these responses: one of them is deleted. */
  forget(responses: readonly FinishedResponse[]): void
}

/** What is kept at a response. It grows when the conversation goes on, and is kept at the next one then. */
interface Kept {
  readonly responseId: string
  /** How many responses it has. */
  count: number
  readonly items: InputItem[]
  readonly readable: InputItem[]
  readonly history: HistoryEntry[]
  known: KnownConversation | undefined
}

export interface KnownConversationsOptions {
  readonly clock: () => number
  /** In bytes, those of the store's own items and transcripts not counted. Default 67,108,864: some 10 million tokens. */
  readonly most?: number
  /** Default 3600. */
  readonly seconds?: number
}

const REFERENCE = 8

export function createKnownConversations(options: KnownConversationsOptions): KnownConversations {
  const { clock, most = 67_108_864, seconds = 3600 } = options
  const kept = new ExpiringBytes<Kept>({ most, seconds, clock })

  function keep(entry: Kept): void {
    const lists = entry.items.length + entry.readable.length + entry.history.length
    kept.keep(entry.responseId, entry, REFERENCE * lists + (entry.known?.bytes ?? 0))
  }

  /** What is known of the longest part of the conversation that anything is known of. */
  function latest(responses: readonly FinishedResponse[]): Kept | undefined {
    for (let at = responses.length - 1; at >= 0 && kept.size > 0; at--) {
      const entry = kept.take((responses[at] as FinishedResponse).response.id)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  return {
    memory: kept,
    of(responses) {
      const last = responses.at(-1)
      if (last === undefined) return { items: [], readable: [], history: [], prompt: undefined }
      const before: Omit<Kept, 'responseId'> = latest(responses) ?? {
        ...{ count: 0, items: [], readable: [], history: [], known: undefined },
      }
      const added = responses.slice(before.count)
      const items = itemsOfResponses(added)
      const history = added.flatMap((response) => response.history)
      const entry: Kept = { ...before, responseId: last.response.id, count: responses.length }
      // A request that is still to be rendered may hold what was kept before: it is not its any more.
      before.known = undefined
      for (const item of items) entry.items.push(item)
      for (const item of withoutUnopenedReasoning(items, history)) entry.readable.push(item)
      for (const one of history) entry.history.push(one)
      keep(entry)
      const { length } = entry.items
      return {
        items: entry.items.slice(),
        readable: entry.readable.slice(),
        history: entry.history.slice(),
        prompt: {
          items: length,
          history: entry.history.length,
          take() {
            const { known } = entry
            // Another response may go on from here while this one is rendered.
            entry.known = undefined
            return known
          },
          give(known) {
            entry.known = known
            // It may have gone on, or been forgotten, meanwhile.
            if (kept.get(entry.responseId) === entry) keep(entry)
          },
        },
      }
    },
    forget(responses) {
      for (const { response } of responses) kept.take(response.id)
    },
  }
}
