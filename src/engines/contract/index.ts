/**
 * The contract of engines, to write one of your own. docs/engines-for-authors.md explains every method.
 *
 * @packageDocumentation
 */

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type { EndReason, StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
export type {
  Constraint,
  ConstraintKind,
  EngineCapabilities,
  FittedConstraint,
  UnsupportedConstraint,
} from './constraint.js'
export type * from './engine.js'
export { EngineError, type EngineErrorCode, type EngineErrorOptions } from './engine-error.js'
export type * from './engine-server.js'
export { toGenerateOptions } from './generate-options.js'
export type * from './prompt-fields.js'
export { tokenStream } from './token-stream.js'
