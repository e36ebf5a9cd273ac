/**
 * One response over many model calls, with tools, without HTTP and without a store. docs/respond.md explains it.
 *
 * @packageDocumentation
 */

export { RequestError, type RequestErrorBody } from '../../shared/request-error.js'
export type {
  AbortEntry,
  Addition,
  BeginEntry,
  CallUsage,
  CancelEntry,
  ChunkEntry,
  CompactedPrompt,
  CompactionEntry,
  EndEntry,
  Entry,
  EntryBody,
  FailEntry,
  HostEntry,
  ItemEntry,
  KnownTokens,
  LastEntry,
  OpenEntry,
  OperatorTerms,
  PromptRecord,
  StopEntry,
  ToolResultEntry,
  ToolStartedEntry,
  TurnEntry,
  UsageEntry,
} from '../journal/entry.js'
export { BEHAVIOUR } from '../journal/entry.js'
export type { HostedCall, Tool, ToolContext, ToolProgress } from '../tools/tool.js'
export type { ApprovableTool, ApprovalDecision, ApprovalPolicy } from './calls/approval.js'
export { type Compacted, type CompactionItem, type CompactOptions, compact } from './compaction/compact.js'
export { type CountedInput, countInputTokens } from './count-input-tokens.js'
export type { Offered, OfferedTool } from './offered.js'
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
