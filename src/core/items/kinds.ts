import type { ListCheck } from '../options/check-list.js'
import type { OutputItem, OutputItemByType } from '../responses/items.js'
import type { ItemKind } from './item-kind.js'
import * as ALL from './kinds/index.js'

type ItemKinds = typeof ALL

/** The item kinds by type: those of all wire types, and `host_item`, an item of the host's own. */
const KINDS: ItemKinds & { readonly [Type in keyof OutputItemByType]: object } = { ...ALL }

export type ItemType = keyof ItemKinds

/** An item of any kind under construction. */
export type Item = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer I, infer _> ? I : never }[ItemType]

/** The source of an item: the recipient of a model's message, or data from the host. */
export type Subject = { [Type in ItemType]: ItemKinds[Type] extends ItemKind<infer _, infer S> ? S : never }[ItemType]

/** Returns the kind of an item by its type. */
export function kindOf({ type }: { readonly type: ItemType }): ItemKind<Item, Subject> {
  // TypeScript cannot infer that the kind looked up by an item's type fits that item.
  return KINDS[type] as ItemKind<Item, Subject>
}

/** Returns an item's current wire form, detached except for listed tools. */
export function wireOf(item: Item): OutputItem {
  const { type, id, status } = item
  const { hasNoStatus, wire } = kindOf(item)
  // With two spreads V8 builds the object field by field, which takes thirty times as long.
  return (hasNoStatus ? { type, id, ...wire(item) } : { type, id, status, ...wire(item) }) as OutputItem
}

/** Whether the host runs an item created from this subject, and so has to provide a result. */
export function isHosted(subject: Subject): boolean {
  const kind = kindOf({ type: subject.kind })
  return kind.result !== undefined && (kind.isHosted?.(subject) ?? true)
}

/** Returns what an item calls, for diagnostics. */
export function calleeOf(item: Item): string {
  return kindOf(item).calls?.(item) ?? item.type
}

/** Returns the checks of the lists of data that results can contain, by the fields that hold them. */
export function resultLists(): [field: string, check: ListCheck][] {
  const kinds: readonly Pick<ItemKind<Item, Subject>, 'lists'>[] = Object.values(KINDS)
  return kinds.flatMap(({ lists = {} }) => Object.entries(lists))
}
