export { type Dialect, type DialectEvent, fromDialect, toDialect } from './dialect.js'
export { openResponses } from './open-responses.js'
export { vllm } from './vllm.js'
