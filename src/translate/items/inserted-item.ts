import { copyOf } from '../copy-of.js'
import type { IdPrefix } from '../ids.js'
import type { ItemBase } from './item-base.js'
import type { ItemKind } from './item-kind.js'

/*
 * host_item: an item of the host's own, of any type of the wire, complete when it comes
 *
 *     output_item.added
 *       ...                      the events that `hostItem` made for its type
 *     output_item.done
 */

/** An item of the API's, of any type: only what all of them have. */
export interface Typed {
  readonly type: string
  readonly id?: string
}

export type Fields = Readonly<Record<string, unknown>>

/** An item with every event about it, for `Translator.insert`. The numbers in the events are the translator's. */
export interface HostItem {
  readonly prefix: IdPrefix
  /** As it is announced: without what the events bring. */
  readonly begun: Typed & Fields
  /** The events between `output_item.added` and `output_item.done`. */
  readonly events: readonly ({ readonly type: string } & Fields)[]
  readonly whole: Typed & Fields
}

export interface InsertedItem extends ItemBase {
  type: 'host_item'
  /** Its wire form as of now. */
  shown: HostItem['whole']
  /** Null once it is done: its events are emitted. */
  host: HostItem | null
}

export const insertedItem: ItemKind<InsertedItem, { readonly kind: 'host_item'; readonly host: HostItem }> = {
  prefix: 'item',
  hasNoStatus: true,

  create: ({ host }, context) => ({
    id: host.whole.id ?? context.id(host.prefix),
    shown: host.begun,
    host,
  }),

  close(item, _outcome, context) {
    for (const { type, ...fields } of item.host?.events ?? [])
      context.emitFor(item, type as never, copyOf(fields) as never)
    item.shown = item.host?.whole ?? item.shown
    item.host = null
  },

  // What is spread last wins: the item's own type and status.
  wire: ({ shown, id }) => copyOf({ ...shown, id }) as never,
}
