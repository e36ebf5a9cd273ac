import type { StreamEvent } from '../stream-event.js'
import type { CaptureFormat } from './capture-format.js'

/** A finding of a stream reader in a capture, in order. Lines count from 1. */
export type StreamRead = EventRead | UntypedRead | FramingRead | BrokenRead | FormatRead

/** An event of the capture. */
export interface EventRead {
  readonly kind: 'event'
  /** The event, as it was read. */
  readonly event: StreamEvent
  /** The line on which it begins: in the file, or in the body inside a HAR file. */
  readonly line: number
  /**
   * Whether it begins a stream: as the first event of a capture or body, or as one that begins an answer behind the end of the
   * one before (in a list of events also with another id).
   */
  readonly isFirst: boolean
}

/** A value without a `type` where an event should be. */
export interface UntypedRead {
  readonly kind: 'untyped'
  /** The value, as it was read. */
  readonly value: unknown
  /** The line on which it begins. */
  readonly line: number
  /** Whether it begins a stream. */
  readonly isFirst: boolean
}

/** A violation of a framing rule by server-sent events. */
export interface FramingRead {
  readonly kind: 'framing'
  /** The id of the rule. */
  readonly rule: string
  /** The line that breaks the rule. */
  readonly line: number
  /** What the rule expects, in words. */
  readonly expected: string
  /** What is there, in words. */
  readonly got: string
  /** The type of the event that it is about, which comes before it; absent if it is about none. */
  readonly type?: string
  /** The types of the events that clients lose because of it. */
  readonly lost?: readonly string[]
  /** The name of the frame, from its `event:` line; absent if it has none. */
  readonly name?: string
}

/** Text that is not an event: it is truncated, or invalid JSON. The reader continues after it. */
export interface BrokenRead {
  readonly kind: 'broken'
  /** The line on which the text begins. */
  readonly line: number
  /** What was expected, in words. */
  readonly expected: string
  /** What is there, in words. */
  readonly got: string
}

/** The format of the capture, if it is not plain server-sent events or JSON events. */
export interface FormatRead {
  readonly kind: 'format'
  /** The format. */
  readonly format: CaptureFormat
  /** The format in words. */
  readonly description: string
  /** The line by which it was recognized. */
  readonly line: number
  /** The response, for the format `response`. */
  readonly value?: unknown
}
