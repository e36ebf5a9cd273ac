import { type Fields, isFields } from '../../shared/fields.js'
import type { ViolationSubject } from './about.js'
import type { ClientModel, ReportBreak, Seen } from './clients/client.js'
import { modelFor } from './clients/client.js'
import { ClientRun, type StreamAgreement } from './clients/run.js'
import { FoundViolations } from './found-violations.js'
import type { ReportViolation } from './invariant.js'
import type { Checker, Violation } from './violation.js'

/** A checker, and the run of the client's model if the profile is that of a client. */
export interface CheckerWithRun<Event, Agreed extends StreamAgreement<Event>> {
  readonly checker: Checker
  readonly run: ClientRun<Event, Agreed> | undefined
}

/** What a checker knows of a rule. */
interface AnswerRule<Check> extends Pick<Violation, 'severity'> {
  readonly id: string
  readonly fault?: 'model'
  readonly neededBy: readonly string[]
  begin(): Check
}

/** The check of a rule at the end of the stream. */
interface EndCheck<State> {
  end?(state: State, report: ReportViolation): void
}

/** Runs the check of each rule. `about`: the part of the event that they check. */
export type CheckEach<Check> = (
  visit: (check: Check, report: ReportViolation) => void,
  about?: ViolationSubject,
) => void

/** An API whose answers have one message each: how its streams are checked. */
export interface AnswerApi<Check, State, Model, Agreed> {
  readonly rules: readonly AnswerRule<Check>[]
  /** The models of its clients, by their names. */
  readonly models: Readonly<Record<string, Model>>
  /** The rule that reports a value that is no object, and what it expects. */
  readonly shape: readonly [rule: string, expected: string]
  /** Creates the state of a stream before its first event. */
  begin(): State
  /** Creates the content of a stream as a whole. */
  agree(): Agreed
  /** Reports where a client's view differs from the content of the stream. */
  compare(seen: Seen, agreed: Agreed, model: Model, report: ReportBreak): void
  /** The type of a value in place of an event, for messages. */
  typeOf(value: unknown): string | undefined
  /** The part of the answer that an event is about. */
  aboutOf(event: Fields): ViolationSubject
  /** Checks an event, and applies it to the state. */
  take(event: Fields, state: State, each: CheckEach<Check>): void
}

/**
 * Creates a checker for one stream, which also gives access to the view of the profile's client.
 *
 * @param without - the ids of rules to skip
 */
export function createAnswerChecker<
  Check extends EndCheck<State>,
  State extends { position: number },
  Model extends Pick<ClientModel<unknown>, 'begin'>,
  Agreed extends StreamAgreement<unknown>,
>(
  api: AnswerApi<Check, State, Model, Agreed>,
  profile: string,
  without: readonly string[] = [],
): CheckerWithRun<unknown, Agreed> {
  const state = api.begin()
  const checks = api.rules
    .filter(({ id, neededBy }) => neededBy.includes(profile) && !without.includes(id))
    .map((rule) => ({ rule, check: rule.begin() }))
  const found = new FoundViolations()
  let received = 0
  /** The type of the event that is checked; undefined at the end of the stream. */
  let type: string | undefined
  /** The event that is checked; undefined at the end of the stream, and for a value that is no object. */
  let event: Fields | undefined
  /** The part of it that is checked; undefined for all of it. */
  let where: ViolationSubject | undefined
  let current = api.rules[0] as AnswerRule<Check>

  const report: ReportViolation = (...reported) => {
    const about = { ...(where ?? (event && api.aboutOf(event))), ...reported[3]?.about }
    found.add(current, { position: state.position, type, about }, ...reported)
  }

  const each: CheckEach<Check> = (visit, about) => {
    where = about
    for (const { rule, check } of checks) {
      current = rule
      visit(check, report)
    }
  }

  const model = modelFor(api.models, profile)
  const run =
    model &&
    new ClientRun<unknown, Agreed>({
      model,
      agreement: api.agree(),
      compare: (seen, agreement, report) => api.compare(seen, agreement, model, report),
      typeOf: api.typeOf,
      report(id, expected, got, words, at) {
        if (without.includes(id)) return
        current = api.rules.find((rule) => rule.id === id) as AnswerRule<Check>
        report(expected, got, words)
        found.moveLatest(at)
      },
    })

  const checker: Checker = {
    push(given) {
      state.position = received++
      type = api.typeOf(given)
      event = isFields(given) ? given : undefined
      where = undefined
      run?.read(given, state.position)
      if (event !== undefined) api.take(event, state, each)
      else {
        // No other rule can check a value that is not an object.
        const [shape, expected] = api.shape
        const own = checks.find(({ rule }) => rule.id === shape)
        if (own === undefined) return found.take()
        current = own.rule
        report(expected, given)
      }
      return found.take()
    },
    end() {
      state.position = received
      type = undefined
      event = undefined
      where = undefined
      run?.end()
      each((check, report) => check.end?.(state, report))
      return found.take()
    },
  }
  return { checker, run }
}
