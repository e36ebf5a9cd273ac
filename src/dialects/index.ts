export {
  type Dialect,
  type DialectEvent,
  type DialectResponse,
  fromDialect,
  fromDialectResponse,
  toDialect,
  toDialectResponse,
} from './dialect.js'
export { type OpenResponsesResponse, openResponses } from './open-responses.js'
export { type VllmResponse, vllm } from './vllm.js'
