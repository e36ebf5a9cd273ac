export { type TranslateOptions, Translator, type TranslatorOptions, translate, translateBatches } from './ambient.js'
export { type ErrorCode, HarmonyResponsesError } from './errors.js'
export { classifyRecipient } from './recipients/classify.js'
export { type DeclaredTools, declareTools } from './recipients/declared-tools.js'
export { type PolicyName, policies, type RecipientPolicy } from './recipients/policy.js'
export type { Recipient } from './recipients/recipient.js'
export type * from './responses/events.js'
export type * from './responses/items.js'
export type * from './responses/request.js'
export type * from './responses/response.js'
export type {
  EndReason,
  HarmonyToken,
  HostTokens,
  HostUsage,
  ScoredToken,
  StreamEnd,
  TokenChunk,
  TokenSource,
} from './tokens/token-source.js'
export { loadTokenTable, type TokenTable } from './tokens/token-table.js'
export { collectResponse } from './translate/collect-response.js'
export type { Diagnostic, NoticeCode, Trace, Tracer, TracerFactory } from './translate/diagnostics.js'
export type { IdFactory, IdPrefix } from './translate/ids.js'
export type { ToolResult } from './translate/tool-result.js'
export type { Turn } from './translate/translator.js'
export type { TranslatorSnapshot } from './translate/translator-snapshot.js'
