import { isFields } from '../../../shared/fields.js'
import type { About } from '../about.js'
import { ClientRun } from '../clients/run.js'
import { FoundViolations } from '../found-violations.js'
import type { ReportViolation } from '../invariant.js'
import type { StreamEvent } from '../stream-event.js'
import type { Checker } from '../violation.js'
import { MessagesAgreement } from './clients/agreement.js'
import { compare } from './clients/compare.js'
import { messagesModelFor } from './clients/index.js'
import type { MessagesInvariant, MessagesProfile } from './invariant.js'
import { MESSAGES_INVARIANTS } from './invariants/index.js'
import { MessageState } from './message-state.js'

/**
 * Creates a checker for one stream of the Messages API. `createChecker` does it for its profile.
 *
 * @param without - the ids of rules to skip
 */
export function createMessagesChecker(profile: MessagesProfile, without: readonly string[] = []): Checker {
  return createMessagesCheckerWithRun(profile, without).checker
}

/** A checker, and the run of the client's model if the profile is that of a client. */
export interface MessagesCheckerWithRun {
  readonly checker: Checker
  readonly run: MessagesRun | undefined
}

/** The run of a client's model over the events of a message. */
export type MessagesRun = ClientRun<unknown, MessagesAgreement>

/** Creates a {@link createMessagesChecker} that also gives access to the client's view. */
export function createMessagesCheckerWithRun(
  profile: MessagesProfile,
  without: readonly string[] = [],
): MessagesCheckerWithRun {
  const state = new MessageState()
  const checks = MESSAGES_INVARIANTS.filter(
    ({ id, neededBy }) => neededBy.includes(profile) && !without.includes(id),
  ).map((rule) => ({ rule, check: rule.begin() }))
  const found = new FoundViolations()
  let received = 0
  let current = MESSAGES_INVARIANTS[0] as MessagesInvariant
  /** The event that is checked; undefined at the end of the stream. */
  let event: StreamEvent | undefined

  const report: ReportViolation = (...reported) => {
    const index = event?.['index']
    const about: About = { ...(Number.isInteger(index) && { block: index as number }), ...reported[3]?.about }
    const type = typeof event?.type === 'string' ? event.type : undefined
    found.add(current, { position: state.position, type, about }, ...reported)
  }

  const model = messagesModelFor(profile)
  const run =
    model &&
    new ClientRun({
      model,
      agreement: new MessagesAgreement(),
      compare: (seen, agreement, report) => compare(seen, agreement, model, report),
      report(rule, expected, got, words, at) {
        if (without.includes(rule)) return
        current = MESSAGES_RULES.get(rule) as MessagesInvariant
        report(expected, got, words)
        found.moveLatest(at)
      },
    })

  const checker: Checker = {
    push(given) {
      state.position = received++
      // The cast: no field is validated yet; the rules do that.
      event = isFields(given) ? (given as StreamEvent) : undefined
      run?.read(given, state.position)
      if (event === undefined) {
        // No other rule can check a value that is not an object.
        const shape = checks.find(({ rule }) => rule.id === 'messages-event-shape')
        if (shape === undefined) return found.take()
        current = shape.rule
        report('an event', given)
        return found.take()
      }
      for (const { rule, check } of checks) {
        current = rule
        check.event?.(event, state, report)
      }
      state.apply(event)
      return found.take()
    },
    end() {
      state.position = received
      event = undefined
      run?.end()
      for (const { rule, check } of checks) {
        current = rule
        check.end?.(state, report)
      }
      return found.take()
    },
  }
  return { checker, run }
}

/** The rules by id. */
export const MESSAGES_RULES: ReadonlyMap<string, MessagesInvariant> = new Map(
  MESSAGES_INVARIANTS.map((rule) => [rule.id, rule]),
)
