export { hostItem, type WholeItem } from './host/host-item.js'
export type { HostItem } from './host/inserted-item.js'
