import type { ItemReader } from './item-reader.js'

/**
 * image_generation_call: no message. gpt-oss has no such calls, so a host made it for its client. What the model is to know of them is in the result of the call by which it asked.
 */
export const readHostItem: ItemReader = () => {}
