export { type HostItem, hostItem, type WholeItem } from './translate/host-item.js'
