import type { Reclaimable } from '../byte-budget.js'
import { closable } from '../closable.js'
import { terminalResponse } from '../respond/terminal.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'
import { bytesOf } from '../stores/bytes-of.js'
import { Expiring } from '../stores/expiring.js'
import { isHostedItem } from './service/hosted-items.js'

type Batch = readonly ResponseStreamEvent[]

/**
 * What the model did in a turn before a call of the client's, for clients of Chat Completions: its messages have no place for
 * calls that the host ran, so that the model would forget their results as soon as the client sends its own.
 *
 * In memory, by owner and call: another process does not know it, and what is forgotten is as it is without.
 */
export interface HostedTurns extends Reclaimable {
  /** Reasoning and calls of the host, in their order. Undefined if there were no such calls, or they were forgotten. */
  before(callId: string, owner: string): readonly OutputItem[] | undefined
  /** The events of a response, of which is kept what its client cannot send back, before it knows that the response is over. */
  noting(events: AsyncGenerator<Batch>, owner: string): AsyncGenerator<Batch>
}

export interface HostedTurnsOptions {
  readonly clock: () => number
  /** In bytes, of all owners. Default 33,554,432. */
  readonly most?: number
  /** Since a turn was kept or last asked for. Default 86,400: a client may ask its user first. */
  readonly seconds?: number
}

interface Turn {
  readonly items: readonly OutputItem[]
  readonly bytes: number
}

/** The place of a turn in lists. */
const TURN_BYTES = 200

export function createHostedTurns({ clock, most = 33_554_432, seconds = 86_400 }: HostedTurnsOptions): HostedTurns {
  let total = 0
  const listeners = new Set<() => void>()
  const turns = new Expiring<Turn>(Number.POSITIVE_INFINITY, { seconds, clock }, ({ bytes }) => {
    total -= bytes
  })
  const tell = (): void => {
    for (const listener of listeners) listener()
  }

  function keep(key: string, turn: Turn): void {
    const before = turns.get(key)
    if (before !== undefined && turns.delete(key)) total -= before.bytes
    total += turn.bytes
    turns.set(key, turn)
    while (total > most && turns.size > 0) turns.dropOldest()
    tell()
  }

  function add(output: readonly OutputItem[], owner: string): void {
    for (const { callId, items } of turnsOf(output)) {
      keep(keyOf(callId, owner), { items, bytes: bytesOf(items) + TURN_BYTES })
    }
  }

  return {
    before(callId, owner) {
      const key = keyOf(callId, owner)
      const turn = turns.get(key)
      if (turn === undefined) return undefined
      // As if it were new: a conversation that goes on needs all of its turns.
      keep(key, turn)
      return turn.items
    },
    noting(events, owner) {
      async function* read(): AsyncGenerator<Batch> {
        for await (const batch of events) {
          add(terminalResponse(batch)?.output ?? [], owner)
          yield batch
        }
      }
      return closable(read(), async () => {
        await events.return(undefined)
      })
    },
    get bytes() {
      return total
    },
    reclaim(bytes) {
      const before = total
      while (before - total < bytes && turns.size > 0) turns.dropOldest()
      tell()
      return before - total
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
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
