/**
 * Generators for fast-check: streams, plans and mistakes to test a server with. docs/judge.md shows how.
 *
 * @packageDocumentation
 */

/**
 * `harmony-responses/conformance/arbitraries`: fast-check arbitraries for testing your own server: transcripts as its
 * input, ways to split them, and event streams with one fault to test a checker of streams.
 */

export type { CalledTool, CallItemType, ToolType } from './called-tool.js'
export { type ChunkPlan, type ChunkPlanOptions, chunkPlan, cutChunks, cutText, textPlan } from './chunk-plan.js'
export { editedTranscript } from './edited-transcript.js'
export { encodeText } from './encode-text.js'
export type { Fault, FaultKind } from './faults/fault.js'
export { FAULT_KINDS, type FaultOptions, type FaultyStream, faultyStream } from './faults/faulty-stream.js'
export type { SequencedEvent, WireEvent } from './faults/wire-event.js'
export { headerSoup } from './header-soup.js'
export {
  MALFORMED_SHAPES,
  type MalformedContent,
  type MalformedOptions,
  type MalformedTextTranscript,
  type MalformedTranscript,
  malformedTranscript,
} from './malformed/malformed-transcript.js'
export type { MalformedShape } from './malformed/shape.js'
export { type SourcePlanOptions, sourcePlan } from './source-plan.js'
export type { Encode, EncodeOptions, TextChunk, TextStream, TokenStream } from './stream-forms.js'
export { harmonyText, harmonyTextSpellingMarkers } from './text.js'
export { textSoup, tokenSoup } from './token-soup.js'
export {
  type TextTranscript,
  type Transcript,
  type TranscriptContent,
  type TranscriptOptions,
  wellFormedTranscript,
} from './transcript.js'
export type { HarmonyMessage, TranscriptMessage } from './transcript-writer.js'
