/**
 * Output items that the host makes itself, for `Translator.insert`. docs/translator.md shows when.
 *
 * @packageDocumentation
 */

export { hostItem, type WholeItem } from './host/host-item.js'
export type { HostItem } from './host/inserted-item.js'
