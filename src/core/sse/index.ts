/**
 * Server-sent events: events to frames and back.
 *
 * @packageDocumentation
 */

export { createSseDecoder, decodeSse, type SseDecoder, type SseDecoderOptions, type SseSource } from './decode.js'
export { encodeSse, encodeSseData, SSE_DONE, type SseEvent } from './encode.js'
export { createSseEncoder, type SseEncoder } from './encoder.js'
export {
  SSE_HEADERS,
  type SseData,
  type SseEvents,
  type SseResponseInit,
  type SseStreamOptions,
  sseStream,
  toSseResponse,
} from './response.js'
