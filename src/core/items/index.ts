/**
 * Output items that the host makes itself, for `Translator.insert`. docs/translator.md shows when.
 *
 * @packageDocumentation
 */

export { type CompleteItem, hostItem } from './host/host-item.js'
export type { HostItem } from './host/inserted-item.js'
