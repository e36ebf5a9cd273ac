import type { Item } from './item.js'

/** What an item calls, for people. */
export function calleeOf(item: Item): string {
  if (!('name' in item)) return item.type
  return pathOf(item.name, 'serverLabel' in item ? item.serverLabel : item.namespace)
}

/** A tool's name behind that of the server or the namespace it is in, for people. */
export function pathOf(name: string, parent: string | null | undefined): string {
  return parent == null ? name : `${parent}.${name}`
}
