import { isFields } from '../../../shared/fields.js'
import { aboutOf } from '../about.js'
import type { CheckerWithRun } from '../answer-checker.js'
import { Agreement } from '../clients/agreement/agreement.js'
import { type Client, modelFor, type Seen } from '../clients/client.js'
import { compare } from '../clients/compare.js'
import { MODELS } from '../clients/index.js'
import { ClientRun } from '../clients/run.js'
import { FoundViolations } from '../found-violations.js'
import { type Check, type Invariant, PROFILES, type Profile, type ReportViolation } from '../invariant.js'
import { INVARIANTS } from '../invariants/index.js'
import { StreamListeners } from '../listeners.js'
import type { StreamEvent } from '../stream-event.js'
import { StreamState } from '../stream-state.js'
import type { Checker } from '../violation.js'

/** Returns a function that creates a checker for each of many streams of the Responses API. */
export function responsesCheckers(
  profile: Profile,
  without: readonly string[],
  resumed: boolean | number,
): () => Checker {
  const rules = rulesFor(profile, without)
  return () => createCheckerWithRun(profile, rules, resumed).checker
}

/** A checker under a client's profile, with the client's view: the checker runs the client's model anyway. */
export interface ClientChecker extends Checker {
  readonly seen: Seen
  readonly agreement: Agreement
}

/** Creates a checker under a client's profile that also gives access to the client's view. */
export function createClientChecker(client: Client): ClientChecker {
  const profile = `client:${client}` as const
  const { checker, run } = createCheckerWithRun(profile, rulesFor(profile, []), false)
  const { seen, agreement } = run as ClientRun<StreamEvent, Agreement>
  return { ...checker, seen, agreement }
}

/** The rules that a checker checks, by their indexes in `INVARIANTS`. They are the same for all streams of a capture. */
interface Rules {
  /** Whether violations of the rule at each index are reported. */
  readonly isReported: readonly boolean[]
  /** The indexes of the rules that check events or the end themselves: readers and models check the others. */
  readonly own: readonly number[]
}

function rulesFor(profile: Profile, without: readonly string[]): Rules {
  const rules = RULES_OF[profile]
  if (without.length === 0) return rules
  const isReported = [...rules.isReported]
  for (const id of without) isReported[INDEX_OF.get(id) as number] = false
  return { isReported, own: rules.own.filter((at) => isReported[at]) }
}

function createCheckerWithRun(
  profile: Profile,
  { isReported, own }: Rules,
  resumed: boolean | number,
): CheckerWithRun<StreamEvent, Agreement> {
  const state = new StreamState(resumed)
  const listeners = new StreamListeners(profile)
  /** In the order of `own`. */
  const checks = own.map((at) => (INVARIANTS[at] as Invariant).begin())
  // The functions alone, by the index of the rule: looking each one up in its object takes as long as most of them run.
  const eventChecks: Check['event'][] = []
  for (const [at, check] of checks.entries()) eventChecks[own[at] as number] = check.event
  const found = new FoundViolations()
  /** The event being checked; undefined at the end of the stream. */
  let current: StreamEvent | undefined
  /** Its type. */
  let type: string | undefined
  /** How many events were received, with and without a type. */
  let received = 0
  /** How many of them had a type. */
  let typed = 0
  /** The index of the rule that is checking. */
  let index = 0

  // One closure for all events: a stream may have a million.
  const report: ReportViolation = (...reported) => {
    const about = aboutOf(current, state, reported[3]?.about)
    found.add(INVARIANTS[index] as Invariant, { position: state.position, type, about }, ...reported)
  }

  const model = modelFor(MODELS, profile)
  const run =
    model &&
    new ClientRun({
      model,
      agreement: new Agreement(),
      compare: (seen, agreement, report) => compare(seen, agreement, model, report),
      report(rule, expected, got, words, at) {
        index = INDEX_OF.get(rule) as number
        if (!isReported[index]) return
        report(expected, got, words)
        found.moveLatest(at)
      },
    })

  function checkEvent(event: StreamEvent): void {
    const { kind, indexes } = listeners.of(event.type)
    state.locate(event, kind)
    for (let at = 0; at < indexes.length; at++) {
      index = indexes[at] as number
      eventChecks[index]?.(event, state, report)
    }
    state.apply(event)
  }

  const checker: Checker = {
    push(given) {
      const event = given as StreamEvent
      state.position = received++
      current = undefined
      type = undefined
      if (isFields(event)) {
        if (typeof event.type === 'string') type = event.type
        run?.read(event, typed)
      }
      if (type === undefined) {
        // No other rule can check an event without a type.
        index = UNTYPED
        if (isReported[index]) report('an event with a type', event)
        return found.take()
      }
      typed++
      // Without a rule of its own, as in the profile of a client, nothing reads the state.
      if (own.length > 0) {
        current = event
        checkEvent(event)
      }
      return found.take()
    },
    end() {
      state.position = received
      current = undefined
      type = undefined
      run?.end()
      for (const [at, check] of checks.entries()) {
        index = own[at] as number
        check.end?.(state, report)
      }
      return found.take()
    },
  }
  return { checker, run }
}

const INDEX_OF: ReadonlyMap<string, number> = new Map(INVARIANTS.map(({ id }, index) => [id, index]))

/** The indexes of the rules that check events or the end themselves. */
const CHECKING: readonly number[] = INVARIANTS.flatMap(({ begin }, index) => {
  const { event, end } = begin()
  return event === undefined && end === undefined ? [] : [index]
})

/** The rules of each profile: choosing them takes as long as checking a short stream. */
const RULES_OF = Object.fromEntries(PROFILES.map((profile) => [profile, rulesOf(profile)])) as Record<Profile, Rules>

function rulesOf(profile: Profile): Rules {
  const isReported = INVARIANTS.map(({ neededBy }) => neededBy.includes(profile))
  return { isReported, own: CHECKING.filter((at) => isReported[at]) }
}

/** The index of the rule for events without a type. */
const UNTYPED = INVARIANTS.findIndex(({ id }) => id === 'event-has-type')
