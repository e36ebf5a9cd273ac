/**
 * Turns gpt-oss's tokens into the events of the Responses API: `translate` pulls, `Translator` is pushed.
 * docs/translator.md explains both.
 *
 * @packageDocumentation
 */

export type {
  CitableText,
  CitationStage,
  CitationState,
  CitedText,
  ScoredText,
} from './core/citations/citation-stage.js'
export type { CitablePages } from './core/citations/pages.js'
export type { Failure } from './core/completion/failure.js'
export type { Diagnostic, NoticeCode } from './core/diagnostics/diagnostic.js'
export type { HostItem } from './core/items/host/inserted-item.js'
export type { ToolResult } from './core/items/parts/tool-result.js'
export type { IdFactory, IdPrefix } from './core/options/ids.js'
export type { ApprovedCall, RequestedCall } from './core/options/options.js'
export type { ReasoningVisibility } from './core/options/reasoning-forms.js'
export type { BuiltinCall, BuiltinTool } from './core/recipients/builtin-tools.js'
export type { DeclaredEnvironment } from './core/recipients/builtins/builtin.js'
export { classifyRecipient } from './core/recipients/classify.js'
export type { DeclaredFunctions, DeclaredTools } from './core/recipients/declared-tools.js'
export { declareTools } from './core/recipients/declared-tools.js'
export type { McpServerRules, ReadOnlyHints } from './core/recipients/mcp-server.js'
export type { PolicyName, RecipientMatch, RecipientPolicy } from './core/recipients/policy.js'
export { policies } from './core/recipients/policy.js'
export type { Recipient } from './core/recipients/recipient.js'
export type * from './core/responses/call-result.js'
export type * from './core/responses/events.js'
export type * from './core/responses/input-content.js'
export type * from './core/responses/input-items.js'
export type * from './core/responses/input-status.js'
export type * from './core/responses/items.js'
export type * from './core/responses/mcp-listing.js'
export type * from './core/responses/other-input-items.js'
export type * from './core/responses/parsed-request.js'
export type * from './core/responses/request.js'
export type * from './core/responses/request-parameters.js'
export type * from './core/responses/response.js'
export { loadTokenTable } from './core/tokens/load-token-table.js'
export type * from './core/tokens/token-source.js'
export type { TokenHashes, TokenTable } from './core/tokens/token-table.js'
export type { Trace, TracedState, Tracer, TracerFactory } from './core/trace/tracer.js'
export { collectResponse } from './core/translate/collect-response.js'
export type { Turn } from './core/translate/translator.js'
export type { TranslatorSnapshot } from './core/translate/translator-snapshot.js'
export type { TranslateOptions, TranslatorOptions } from './defaults.js'
export type { ErrorCode } from './shared/errors.js'
export { HarmonyResponsesError } from './shared/errors.js'
export { Translator, translate, translateBatches } from './translate.js'
