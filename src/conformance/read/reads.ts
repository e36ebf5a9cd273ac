import type { StreamEvent } from '../stream-event.js'
import type { CaptureFormat } from './given.js'

/** What a reader finds in a capture, in the order in which it stands there. Lines count from 1. */
export type StreamRead = EventRead | UntypedRead | FramingRead | BrokenRead | GivenRead

export interface EventRead {
  readonly kind: 'event'
  readonly event: StreamEvent
  /** Where it begins: in the file, or in the body that a HAR file holds. */
  readonly line: number
  /** It begins a stream: the first event of a capture or of a body, and each `response.created`. */
  readonly isFirst: boolean
}

/** A value in the place of an event that is none: it has no `type`. */
export interface UntypedRead {
  readonly kind: 'untyped'
  readonly value: unknown
  readonly line: number
  readonly isFirst: boolean
}

/** Server-sent events that are not framed as clients need it. */
export interface FramingRead {
  readonly kind: 'framing'
  /** The id of the invariant. */
  readonly rule: string
  readonly line: number
  readonly expected: string
  readonly got: string
  /** The type of the event before it, which it is about; absent where it is about none. */
  readonly type?: string
  /** The types of the events that clients lose by it. */
  readonly lost?: readonly string[]
}

/** Text that is no event: it was cut off, or is no JSON. Reading goes on behind it. */
export interface BrokenRead {
  readonly kind: 'broken'
  readonly line: number
  readonly expected: string
  readonly got: string
}

/** What the capture is, where it is not simply server-sent events or JSON. */
export interface GivenRead {
  readonly kind: 'given'
  readonly format: CaptureFormat
  readonly words: string
  readonly line: number
  /** A response that was not streamed. */
  readonly value?: unknown
}
