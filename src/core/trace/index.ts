/**
 * Which token became which event, for timelines and tests.
 *
 * @packageDocumentation
 */

export type {
  DiagnosticRecord,
  EventRecord,
  HarmonyRecord,
  MessageRecord,
  TokenAlternative,
  TokenRecord,
  TraceRecord,
} from './record.js'
export { type TraceRecords, traceRecords } from './trace-records.js'
export { type Trace, type TracedChunk, type TracedState, type Tracer, type TracerFactory, traceTo } from './tracer.js'
