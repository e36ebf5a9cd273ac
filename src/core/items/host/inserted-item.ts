import type { Fields } from '../../../shared/fields.js'
import type { IdPrefix } from '../../options/ids.js'
import { copyOf } from '../../responses/copy-of.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/** The fields that API items of all types have. @inline */
export interface Typed {
  readonly type: string
  readonly id?: string
}

/** A checked item, for `Translator.insert`, which adds an id if it has none. */
export interface HostItem {
  /** The prefix of the id that the translator gives the item if it has none. */
  readonly prefix: IdPrefix
  /** The item as clients receive it: plain JSON, checked. */
  readonly whole: Typed & Fields
}

/** An item of the host's own, of any wire type, complete when it is inserted. */
export interface InsertedItem extends ItemState {
  type: 'host_item'
  /** Its wire form. */
  shown: HostItem['whole']
}

export const insertedItem: ItemKind<InsertedItem, { readonly kind: 'host_item'; readonly host: HostItem }> = {
  prefix: 'item',
  hasNoStatus: true,

  create: ({ host }, context) => ({
    id: host.whole.id ?? context.id(host.prefix),
    shown: host.whole,
  }),

  // biome-ignore lint/plugin: this library's types lack the host's. Spread last, so that the host's type and status win.
  wire: ({ shown, id }) => copyOf({ ...shown, id }) as never,
}
