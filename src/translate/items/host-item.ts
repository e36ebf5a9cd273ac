import { copyOf } from '../copy-of.js'
import type { HostItem } from '../host-item.js'
import type { ItemBase } from './item-base.js'
import type { ItemKind } from './item-kind.js'

/*
 * host_item: an item of the host's own, of any type of the wire, whole when it comes
 *
 *     output_item.added
 *       ...                      what `hostItem` says of its type
 *     output_item.done
 */

export interface InsertedItem extends ItemBase {
  type: 'host_item'
  /** Its wire form as of now. */
  shown: HostItem['whole']
  /** Null once it is done: its events are emitted. */
  host: HostItem | null
}

export const hostItem: ItemKind<InsertedItem, { readonly kind: 'host_item'; readonly host: HostItem }> = {
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
