export { createDetokenizer, type Detokenizer } from './detokenizer.js'
export type {
  EndReason,
  HarmonyToken,
  HostTokens,
  HostUsage,
  ScoredToken,
  StreamEnd,
  TokenChunk,
  TokenSource,
} from './token-source.js'
export { createTokenTable, loadTokenTable, type TokenTable } from './token-table.js'
