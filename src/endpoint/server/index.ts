/**
 * The endpoint as a Hono app, for every runtime with the web's classes. docs/server.md explains it.
 *
 * @packageDocumentation
 */

export { RequestError, type RequestErrorBody, type RequestErrorCode } from '../../shared/request-error.js'
export type { MemoryUse } from '../flow/byte-budget.js'
export type { Queue } from '../flow/queue.js'
export type { ApprovableTool, ApprovalDecision, ApprovalPolicy, OfferedTool, OperatorOffer } from '../respond/index.js'
export { createMemoryStore, type MemoryStoreOptions } from '../stores/memory-store.js'
export type * from '../stores/store.js'
export type { AdminProcess, AdminProcesses, AdminSnapshot } from './admin/admin.js'
export type { CheckedPart } from './admin/parts.js'
export type { IntervalCounts } from './admin/series.js'
export type { TimeCounts } from './admin/time-counts.js'
export type * from './admin/types.js'
export { type Authorize, bearerKeys, hashedBearerKeys } from './authorize.js'
export type { KeyTable } from './check-keys.js'
export { createResponsesApp, type ResponsesApp } from './create-responses-app.js'
export type { HostRules } from './host-rules.js'
export type * from './observe/metric.js'
export type { ObserverOptions } from './observe/observer.js'
export { type OpenTelemetryApi, type OpenTelemetrySpan, openTelemetry } from './observe/open-telemetry.js'
export type * from './observe/tracing.js'
export type { Pages, ResponsesAppOptions, UpgradeWebSocket } from './options.js'
export type { BodyLimits } from './read-json.js'
export { type SendEventsOptions, sendEvents } from './send-events.js'
export type { AuditOptions, CallRecord } from './service/audit.js'
export type { Caller } from './service/caller.js'
export type { CompactedResponse } from './service/compact.js'
export type { Conversation } from './service/conversations/conversations.js'
export type { ConversationItemQuery } from './service/conversations/items.js'
export type { InputTokens } from './service/input-tokens.js'
export type { ItemPage, ItemQuery } from './service/items/page.js'
export type { OperatorOptions, OwnedRequest } from './service/operator-options.js'
export type { OwnedResponse, ResponseSettings, ServiceLimits, ServiceOptions } from './service/options.js'
export type { PassedOn, PassedPiece, PassedRequest } from './service/pass-on.js'
export type { PassLimits, PassOnOptions } from './service/pass-on-options.js'
export { type ConversationService, createResponseService, type ResponseService } from './service/response-service.js'
export type { LiveResponse } from './service/running/live-response.js'
export type { OnDisconnect } from './service/running/readers.js'
export type {
  HiddenRecord,
  ResponseTrace,
  TracedPrompt,
  TracedPromptMessage,
} from './service/trace/response-trace.js'
export type { TraceQuery } from './service/trace/window.js'
export type { NodeResponse } from './stream-body.js'
export type { WebSocketLimits } from './web-socket/limits.js'
