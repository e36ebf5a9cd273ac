export { hostItem, type WholeItem } from './translate/host-item.js'
export type { HostItem } from './translate/items/inserted-item.js'
