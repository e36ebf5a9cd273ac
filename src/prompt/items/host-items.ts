import type { ItemReader } from './item-reader.js'

/**
 * Reads file_search_call and image_generation_call: no message. gpt-oss has no such calls, so a host created them for
 * its client; the result of the call behind them tells the model about them.
 */
export const readHostItem: ItemReader = () => {}
