import type { ItemReader } from './item-reader.js'

/**
 * Reads image_generation_call: no message. gpt-oss has no such calls, so a host created it for its client; the result of
 * the call behind it tells the model about it.
 */
export const readHostItem: ItemReader = () => {}
