import type { ResponseStreamEvent } from '../../core/responses/events.js'
import type { ViolationSubject } from './about.js'
import type { StreamEvent } from './stream-event.js'

/** A violation of one rule of `INVARIANTS`, `CHAT_INVARIANTS` or `MESSAGES_INVARIANTS`. */
export interface Violation {
  /** The invariant's id. */
  readonly rule: string
  /** `warning` if no client is known to break. */
  readonly severity: 'error' | 'warning'
  /** The party at fault. The `model`'s text may break clients, too, but no server can fix it. */
  readonly fault: 'server' | 'model'
  /** The number of the event, from 0; at the end of the stream, the number of all events. */
  readonly position: number
  /** The event's type, or the `object` of a chunk; absent at the end of the stream. */
  readonly type?: string
  /** What the rule expects, in words. */
  readonly expected: string
  /** The actual value as JSON in at most 80 characters, or a description. */
  readonly got: string
  /** The item or part that it concerns, or the choice and call. Absent if it concerns the whole stream. */
  readonly about?: ViolationSubject
}

/** A chunk of Chat Completions as received, or the error in place of one. */
export type StreamChunk =
  /** A chunk: its `choices` are a list where it is correct. */
  | { readonly choices: unknown }
  /** An error in place of a chunk. */
  | { readonly error: unknown }

/** Checks one stream while it arrives. */
export interface Checker {
  /** Checks the next event or chunk, and returns its violations. */
  push(event: StreamEvent | ResponseStreamEvent | StreamChunk): Violation[]
  /** Ends the stream, and returns the violations that show only now, such as missing events. */
  end(): Violation[]
}

/** Checks a stream to its end. */
export function* violationsOf(
  checker: Checker,
  events: Iterable<Parameters<Checker['push']>[0]>,
): Generator<Violation> {
  for (const event of events) yield* checker.push(event)
  yield* checker.end()
}

/**
 * Whether a violation is about the end of the stream. One about an event without a type is not, though it has no type.
 */
export function isAtEnd({ rule, type }: Violation): boolean {
  return type === undefined && rule !== 'event-has-type'
}
