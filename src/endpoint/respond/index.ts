/**
 * One response over many model calls, with tools, without HTTP and without a store. docs/respond.md explains it.
 *
 * @packageDocumentation
 */

export { RequestError, type RequestErrorBody } from '../../shared/request-error.js'
export type {
  AbortEntry,
  BeginEntry,
  CallUsage,
  CancelEntry,
  ChunkEntry,
  CompactedPrompt,
  CompactionEntry,
  ConversationAddition,
  EndEntry,
  Entry,
  EntryBody,
  FailEntry,
  HostEntry,
  ItemEntry,
  LastEntry,
  OpenEntry,
  OperatorAdditions,
  PromptRecord,
  StopEntry,
  StoredHistoryEntry,
  ToolResultEntry,
  ToolStartedEntry,
  TurnEntry,
  UsageEntry,
} from '../journal/entry.js'
export { BEHAVIOR_VERSION } from '../journal/entry.js'
export type { HostedCall, Tool, ToolContext, ToolProgress } from '../tools/tool.js'
export type { ApprovableTool, ApprovalDecision, ApprovalPolicy } from './calls/approval.js'
export { type CompactionItem, type CompactionResult, type CompactOptions, compact } from './compaction/compact.js'
export { countInputTokens, type InputTokenCount } from './count-input-tokens.js'
export type { OfferedTool, OperatorOffer } from './offered.js'
export type {
  EndedResponse,
  InvalidOutput,
  RespondLimits,
  RespondOptions,
  ResponseHandle,
  SealCompaction,
  TranslateEntriesOptions,
} from './options.js'
export { type ResponseBatches, respond } from './respond.js'
export { type EntryTranslation, translateEntries } from './translate-entries.js'
