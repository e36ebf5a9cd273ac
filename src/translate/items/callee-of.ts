import type { Item } from './item.js'

/** What an item calls, for people. */
export function calleeOf(item: Item): string {
  if (!('name' in item)) return item.type
  return 'serverLabel' in item ? `${item.serverLabel}.${item.name}` : item.name
}
