/**
 * An engine whose model follows a script, and what every store must do. docs/testing.md explains both.
 *
 * @packageDocumentation
 */

export {
  type CheckedStore,
  type CheckStoreOptions,
  checkStore,
  STORE_RULES,
  type StoreRule,
  type StoreViolation,
} from './check-store/check-store.js'
export type { StoreCall } from './check-store/model.js'
export type { ScriptedEngineOptions } from './options.js'
export { answer, call, fail, firstTokens, hang, preamble, think } from './pieces.js'
export type { ScriptedPrompt } from './prompt.js'
export { type Script, type ScriptedEngine, scriptedEngine } from './scripted-engine.js'
export type {
  ScriptedBeginning,
  ScriptedFailure,
  ScriptedHang,
  ScriptedMessage,
  ScriptedPiece,
  ScriptedTurn,
} from './turn.js'
