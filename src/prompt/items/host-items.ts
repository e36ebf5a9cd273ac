import type { ItemReader } from './item-reader.js'

/**
 * file_search_call, image_generation_call: no message. gpt-oss has no such calls, so a host made them for its client.
 * What the model is to know of them is in the result of the call by which it asked.
 */
export const readHostItem: ItemReader = () => {}
