import { describe } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Invariant, Profile, Tell } from './invariant.js'
import { INVARIANTS } from './invariants/index.js'
import { Reading } from './reading.js'
import type { StreamEvent } from './stream-event.js'

/** Where a stream is not as an invariant says. */
export interface Violation {
  /** The invariant's id. */
  readonly rule: string
  readonly severity: Invariant['severity']
  /** Whose doing it is: what a `model` wrote breaks clients, too, but no server can mend it. */
  readonly fault: 'server' | 'model'
  /** The number of the event, from 0; the number of all events where something is missing at the end. */
  readonly position: number
  /** The event's type; absent at the end. */
  readonly type?: string
  readonly expected: string
  /** What came instead, in words. */
  readonly got: string
}

export interface CheckOptions {
  /** Whom the stream is held against. Default `openai`. */
  readonly profile?: Profile
}

/** Checks one live stream. */
export interface Checker {
  /** Takes the next event, and tells what is wrong with it. */
  push(event: StreamEvent | ResponseStreamEvent): Violation[]
  /** The stream is over: tells what is missing. */
  end(): Violation[]
}

/**
 * A checker for one stream, event by event: constant work for each, and memory for what is open.
 *
 *     const checker = createChecker({ profile: 'client:codex' })
 *     for await (const event of events) for (const violation of checker.push(event)) console.error(violation)
 *     for (const violation of checker.end()) console.error(violation)
 */
export function createChecker({ profile = 'openai' }: CheckOptions = {}): Checker {
  const reading = new Reading()
  let found: Violation[] = []
  /** The type of the event that is looked at; absent at the end. */
  let type: string | undefined
  // Everything is made once: a stream may have a million events.
  const checks = INVARIANTS.filter(({ neededBy }) => neededBy.includes(profile)).map((invariant) => {
    const { id, severity, fault = 'server', begin } = invariant
    const tell: Tell = (expected, value, words) => {
      const about = type === undefined ? {} : { type }
      const got = words ?? describe(value)
      found.push({ rule: id, severity, fault, position: reading.count, ...about, expected, got })
    }
    return { id, check: begin(), tell }
  })
  const wire = checks.find(({ id }) => id === 'event-has-type')

  function take(): Violation[] {
    const violations = found
    if (found.length > 0) found = []
    return violations
  }

  return {
    push(given) {
      const event = given as StreamEvent
      type = typeof Object(event).type === 'string' ? event.type : undefined
      // Nothing else can be said of an event without a type.
      if (type === undefined) wire?.tell('an event with a type', event)
      else {
        for (const { check, tell } of checks) check.event?.(event, reading, tell)
        reading.take(event)
      }
      return take()
    },
    end() {
      type = undefined
      for (const { check, tell } of checks) check.end?.(reading, tell)
      return take()
    },
  }
}

/** Checks a captured stream. */
export function checkEvents(
  events: Iterable<StreamEvent | ResponseStreamEvent>,
  options: CheckOptions = {},
): Violation[] {
  const checker = createChecker(options)
  const violations: Violation[] = []
  for (const event of events) violations.push(...checker.push(event))
  return [...violations, ...checker.end()]
}
