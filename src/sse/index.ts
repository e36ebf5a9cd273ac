export { createSseDecoder, decodeSse, type SseDecoder, type SseDecoderOptions, type SseSource } from './decode.js'
export { encodeSse, SSE_DONE, type SseEvent } from './encode.js'
export { createSseEncoder, type SseEncoder } from './encoder.js'
export { type SseResponseInit, type SseStreamOptions, sseStream, toSseResponse } from './response.js'
