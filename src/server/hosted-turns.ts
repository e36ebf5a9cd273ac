import type { Reclaimable } from '../byte-budget.js'
import type { OutputItem } from '../responses/items.js'
import { bytesOf } from '../stores/bytes-of.js'
import { ExpiringBytes } from '../stores/expiring-bytes.js'
import { isHostedItem } from './service/hosted-items.js'

/**
 * What the model did in a turn before a call of the client's, for clients whose API has no place for calls that the host ran
 * (Chat Completions), or that drop the blocks in which they are sealed (Messages): the model would forget their results as soon
 * as the client sends its own.
 *
 * In memory, by owner and call: another process does not know it, and what is forgotten is as it is without.
 */
export interface HostedTurns {
  /** For the budget of the process to count. */
  readonly memory: Reclaimable
  /** Reasoning and calls of the host, in their order. Undefined if there were no such calls, or they were forgotten. */
  before(callId: string, owner: string): readonly OutputItem[] | undefined
  /** Keeps what the client of a response cannot send back. Called before it knows that the response is over. */
  note(output: readonly OutputItem[], owner: string): void
}

export interface HostedTurnsOptions {
  readonly clock: () => number
  /** In bytes, of all owners. Default 33,554,432. */
  readonly most?: number
  /** Since a turn was kept or last asked for. Default 86,400: a client may ask its user first. */
  readonly seconds?: number
}

/** The place of a turn in lists. */
const TURN_BYTES = 200

export function createHostedTurns({ clock, most = 33_554_432, seconds = 86_400 }: HostedTurnsOptions): HostedTurns {
  const memory = new ExpiringBytes<readonly OutputItem[]>({ most, seconds, clock })
  return {
    memory,
    // As if it were new: a conversation that goes on needs all of its turns.
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

/** The client's calls before which the host ran some, with what stands between them and the client's call before. */
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
