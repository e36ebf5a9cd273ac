/**
 * An engine whose model follows a script, the search for faults of a server, and what every store must do. docs/testing.md explains both.
 *
 * @packageDocumentation
 */

export {
  type CheckStoreOptions,
  checkStore,
  STORE_RULES,
  type StoreRule,
  type StoreUnderTest,
  type StoreViolation,
} from './check-store/check-store.js'
export type { StoreCall } from './check-store/model.js'
export {
  type FastCheckArbitrary,
  type FindFaultsOptions,
  type FoundFault,
  findFaults,
  formatFaults,
} from './faults/find-faults.js'
export { type ModelScript, modelTurns } from './faults/model-turns.js'
export { type PlayOnServerOptions, playOnServer } from './faults/play-on.js'
export { type AnyClient, type Finding, type ReadAnswer, readAnswer } from './faults/read-answer.js'
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
