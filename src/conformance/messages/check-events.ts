import { isFields } from '../../fields.js'
import type { About } from '../about.js'
import type { ReportViolation } from '../invariant.js'
import { preview } from '../preview.js'
import type { StreamEvent } from '../stream-event.js'
import type { Checker, Violation } from '../violation.js'
import type { MessagesInvariant } from './invariant.js'
import { MESSAGES_INVARIANTS } from './invariants/index.js'
import { MessageState } from './message-state.js'

/**
 * Creates a checker for one stream of the Messages API. `createChecker` does it for its profile.
 *
 * @param without - the ids of rules to skip
 */
export function createMessagesChecker(without: readonly string[] = []): Checker {
  const state = new MessageState()
  const checks = MESSAGES_INVARIANTS.filter(({ id }) => !without.includes(id)).map((rule) => ({
    rule,
    check: rule.begin(),
  }))
  let found: Violation[] = []
  let received = 0
  let current = MESSAGES_INVARIANTS[0] as MessagesInvariant
  /** The event that is checked; undefined at the end of the stream. */
  let event: StreamEvent | undefined

  const report: ReportViolation = (expected, value, words, details) => {
    const { id: rule, severity, fault: usual = 'server' } = current
    const index = event?.['index']
    const about: About = { ...(Number.isInteger(index) ? { block: index as number } : {}), ...details?.about }
    found.push({
      rule,
      severity,
      fault: details?.fault ?? usual,
      position: state.position,
      ...(typeof event?.type === 'string' ? { type: event.type } : {}),
      expected,
      got: words ?? preview(value),
      ...(Object.keys(about).length === 0 ? {} : { about }),
    })
  }

  function take(): Violation[] {
    const violations = found
    if (found.length > 0) found = []
    return violations
  }

  return {
    push(given) {
      state.position = received++
      if (!isFields(given)) {
        // No other rule can check what is no object.
        event = undefined
        const shape = checks.find(({ rule }) => rule.id === 'messages-event-shape')
        if (shape === undefined) return take()
        current = shape.rule
        report('an event', given)
        return take()
      }
      // The cast: no field is validated yet, which is what the rules are for.
      event = given as StreamEvent
      for (const { rule, check } of checks) {
        current = rule
        check.event?.(event, state, report)
      }
      state.apply(event)
      return take()
    },
    end() {
      state.position = received
      event = undefined
      for (const { rule, check } of checks) {
        current = rule
        check.end?.(state, report)
      }
      return take()
    },
  }
}

/** The rules by id. */
export const MESSAGES_RULES: ReadonlySet<string> = new Set(MESSAGES_INVARIANTS.map(({ id }) => id))
