import { copyOf } from '../../../shared/copy-of.js'
import type { Fields } from '../../../shared/fields.js'
import type { IdPrefix } from '../../options/ids.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'

/*
 * host_item: an item of the host's own, of any wire type, complete when it is inserted
 *
 *     output_item.added
 *       ...                      the events that `hostItem` created for its type
 *     output_item.done
 */

/** The fields that API items of all types have. */
export interface Typed {
  readonly type: string
  readonly id?: string
}

/** An item with all its events, for `Translator.insert`. The translator adds sequence number, index and id. */
export interface HostItem {
  readonly prefix: IdPrefix
  /** The item in `output_item.added`, without the content of its events. */
  readonly begun: Typed & Fields
  /** The events between `output_item.added` and `output_item.done`. */
  readonly events: readonly ({ readonly type: string } & Fields)[]
  readonly whole: Typed & Fields
}

export interface InsertedItem extends ItemBase {
  type: 'host_item'
  /** Its current wire form. */
  shown: HostItem['whole']
  /** Null once its events have been emitted. */
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
    for (const { type, ...fields } of item.host?.events ?? []) {
      // `host-item.ts` has checked the host's events: no type here relates them to an item.
      context.emitFor(item, type as never, copyOf(fields) as never)
    }
    item.shown = item.host?.whole ?? item.shown
    item.host = null
  },

  // Cast, because this library's types lack the host's. Spread last, so that the host's type and status win.
  wire: ({ shown, id }) => copyOf({ ...shown, id }) as never,
}
