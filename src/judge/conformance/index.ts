/**
 * The judge: whether a stream of events is correct, and what each client makes of it. docs/judge.md explains it.
 *
 * @packageDocumentation
 */

export type { ViolationSubject } from './about.js'
export type { Api } from './api.js'
export { CHAT_CLIENTS, type ChatClient } from './chat/clients/names.js'
export { CHAT_PROFILES, type ChatInvariant, type ChatProfile } from './chat/invariant.js'
export { CHAT_INVARIANTS } from './chat/invariants/index.js'
export { type CheckOptions, checkEvents, createChecker } from './check.js'
export { type CaptureChecker, type CaptureOptions, createCaptureChecker, type Finding } from './check-capture.js'
export {
  type CheckSourceOptions,
  checkSource,
  type OpenedSource,
  planPieces,
  type ScriptedBackend,
  SOURCE_RULES,
  type SourceOpener,
  type SourcePlan,
  type SourceRule,
  type SourceViolation,
} from './check-source.js'
export { CLIENTS, type Client, type ExplainedClient, type Explanation, explain } from './explain.js'
export { type Invariant, PROFILES, type Profile } from './invariant.js'
export { INVARIANTS } from './invariants/index.js'
export { MESSAGES_CLIENTS, type MessagesClient } from './messages/clients/names.js'
export { MESSAGES_PROFILES, type MessagesInvariant, type MessagesProfile } from './messages/invariant.js'
export { MESSAGES_INVARIANTS } from './messages/invariants/index.js'
export type { AnyProfile } from './profiles.js'
export type { CaptureFormat } from './read/capture-format.js'
export type {
  BrokenRead,
  EventRead,
  FormatRead,
  FramingRead,
  StreamRead,
  UntypedRead,
} from './read/stream-read.js'
export { createStreamReader, type StreamReader, type StreamReaderOptions } from './read/stream-reader.js'
export { readChatStreams, readMessageStreams, readStreams } from './read-streams.js'
export type { Cause, LocatedViolation, RepeatedViolation, ViolationCounts } from './report/cause.js'
export { createReport, type Report, reportOn, type StreamReport } from './report/report.js'
export {
  type EventProblem,
  outputItemSchema,
  type ParsedEvent,
  parseEvent,
  responseSchema,
  responseStreamEventSchema,
} from './schemas/index.js'
export type { StreamEvent } from './stream-event.js'
export type { Checker, StreamChunk, Violation } from './violation.js'
