import type { OutputItem } from '../../core/responses/items.js'
import type { Reclaimable } from '../flow/byte-budget.js'
import { ExpiringBytes } from '../flow/expiring-bytes.js'
import { bytesOf } from '../stores/bytes-of.js'
import { isHostedItem } from './service/items/hosted-items.js'

/**
 * The model's work in a turn before a call to the client, for APIs that cannot carry the calls that the host ran (Chat
 * Completions), and for clients that drop the blocks in which they are sealed (Messages): the model would forget their
 * results as soon as the client sends its own.
 *
 * In memory, by owner and call: another process does not know it, and an evicted turn is handled as if there were none.
 */
export interface HostedTurns {
  /** For the budget of the process to count. */
  readonly memory: Reclaimable
  /** Returns reasoning and calls of the host, in order. Undefined if there were no such calls, or they were evicted. */
  before(callId: string, owner: string): readonly OutputItem[] | undefined
  /**
   * Records the work that the client of a response cannot send back. Called before the client learns that the response
   * has ended.
   */
  note(output: readonly OutputItem[], owner: string): void
}

export interface HostedTurnsOptions {
  readonly clock: () => number
  /** The limit for all owners, in bytes. Default 33,554,432. */
  readonly max?: number
  /**
   * How long a turn is kept after it was recorded or last requested. Default 86,400, since a client may ask its user
   * first.
   */
  readonly seconds?: number
}

/** The overhead of a turn. */
const TURN_BYTES = 200

export function createHostedTurns({ clock, max = 33_554_432, seconds = 86_400 }: HostedTurnsOptions): HostedTurns {
  const memory = new ExpiringBytes<readonly OutputItem[]>({ max, seconds, clock })
  return {
    memory,
    // Renewed at each use: a conversation that continues needs all of its turns.
    before: (callId, owner) => memory.renew(keyOf(callId, owner)),
    note(output, owner) {
      for (const { callId, items } of turnsOf(output)) {
        memory.keep(keyOf(callId, owner), items, bytesOf(items) + TURN_BYTES)
      }
    },
  }
}

function keyOf(callId: string, owner: string): string {
  return JSON.stringify([owner, callId])
}

/**
 * Returns the client's calls before which the host ran some, with the items between each and the client's call before.
 */
function turnsOf(output: readonly OutputItem[]): { readonly callId: string; readonly items: readonly OutputItem[] }[] {
  const found: { readonly callId: string; readonly items: readonly OutputItem[] }[] = []
  let items: OutputItem[] = []
  for (const item of output) {
    if (item.type === 'reasoning' || isHostedItem(item)) items.push(item)
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') continue
    if (items.some(isHostedItem)) found.push({ callId: item.call_id, items })
    items = []
  }
  return found
}
