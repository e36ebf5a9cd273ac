import type { ResponseStreamEvent } from '../../responses/events.js'
import { type CheckOptions, createChecker, type Violation } from '../check.js'
import type { StreamEvent } from '../stream-event.js'
import type { Cause, LocatedViolation, Totals } from './cause.js'
import { Evidence } from './evidence.js'
import { AT_ANY_EVENT, FOLLOWS, type Follows, SHAPE_RULES } from './follows.js'
import { fieldsOf, kindKey, namesOf, overlap } from './kind.js'
import { Repeats } from './repeats.js'
import { Where } from './where.js'

/** So many causes are listed, and so many kinds of consequences of each; the others are counted. */
const MOST_CAUSES = 100
const MOST_KINDS = 50

/** So many violations at one event are looked at together. */
const MOST_AT_ONCE = 200

/** Sorts the violations of one stream by what caused them. */
export interface Report {
  /** Takes the next violation of the stream, in the order in which the checker tells them. */
  add(violation: Violation, place?: { readonly line?: number | undefined }): void
  /** What is wrong so far, the worst first. */
  causes(): Cause[]
  /** How many violations came so far. */
  totals(): Totals
}

/** A cause, as it grows. */
interface GrowingCause {
  readonly key: string
  readonly lead: LocatedViolation
  readonly same: Repeats
  readonly consequences: Map<string, Repeats>
  follow: number
  severity: Violation['severity']
  fault: Violation['fault']
}

/**
 * A report of one stream, for violations as they come: what follows from what, repeats collapsed, the worst first. Its
 * memory is bounded, however many violations there are.
 *
 *     const report = createReport()
 *     for (const event of events) for (const violation of checker.push(event)) report.add(violation, { line })
 *     for (const { lead, consequences } of report.causes()) console.error(lead.expected, consequences.length)
 */
export function createReport(): Report {
  const causes = new Map<string, GrowingCause>()
  const where = new Where<GrowingCause>()
  const evidence = new Evidence<GrowingCause>()
  const totals = { errors: 0, warnings: 0, unlisted: 0 }
  /** Violations at one event: the checker tells them in the order of its rules, not of their causes. */
  let pending: LocatedViolation[] = []

  function settle(): void {
    const found = causesFirst(pending)
    pending = []
    for (const violation of found) take(violation)
  }

  function take(violation: LocatedViolation): void {
    const key = kindKey(violation)
    const followed = causeOf(violation, where, evidence)
    const cause = followed ?? causes.get(key) ?? begin(violation, key)
    if (cause === undefined) {
      totals.unlisted++
      return
    }
    join(cause, violation, key)
    where.add(violation, cause)
    evidence.add(violation, cause)
  }

  function begin(lead: LocatedViolation, key: string): GrowingCause | undefined {
    if (causes.size >= MOST_CAUSES) return undefined
    const { severity, fault } = lead
    const cause: GrowingCause = {
      key,
      lead,
      same: new Repeats(),
      consequences: new Map(),
      follow: 0,
      severity,
      fault,
    }
    causes.set(key, cause)
    return cause
  }

  return {
    add(violation, { line } = {}) {
      const { position, severity } = violation
      if (severity === 'error') totals.errors++
      else totals.warnings++
      if (pending[0]?.position !== position || pending.length >= MOST_AT_ONCE) settle()
      pending.push(line === undefined ? violation : { ...violation, line })
    },
    causes() {
      settle()
      return [...causes.values()].sort(worstFirst).map(finished)
    },
    totals() {
      settle()
      return { ...totals }
    },
  }
}

function join(cause: GrowingCause, violation: LocatedViolation, key: string): void {
  const { severity, fault } = violation
  if (severity === 'error') cause.severity = severity
  if (fault === 'server') cause.fault = fault
  if (key === cause.key) {
    cause.same.add(violation)
    return
  }
  cause.follow++
  const repeats = cause.consequences.get(key) ?? (cause.consequences.size < MOST_KINDS ? new Repeats() : undefined)
  if (repeats === undefined) return
  cause.consequences.set(key, repeats)
  repeats.add(violation)
}

/** What a violation follows from, if it follows from anything that was found before. */
function causeOf(
  violation: Violation,
  where: Where<GrowingCause>,
  evidence: Evidence<GrowingCause>,
): GrowingCause | undefined {
  const { rule, position } = violation
  const { item, event, stream } = followsOf(violation)
  // A shape rule says another thing of each field.
  for (const name of SHAPE_RULES.has(rule) ? item : [rule, ...item]) {
    const cause = where.ofItem(name, violation)
    if (cause !== undefined) return cause
  }
  const names = [...event, ...AT_ANY_EVENT]
  const fields = fieldsOf(violation)
  const atEvent = where.atEvent(
    position,
    (other, itsNames) => names.some((name) => itsNames.includes(name)) || isOfOneField(fields, other),
  )
  if (atEvent !== undefined) return atEvent
  const lost = evidence.of(violation)
  if (lost !== undefined) return lost
  for (const name of stream) {
    const cause = where.inStream(name)
    if (cause !== undefined) return cause
  }
  return undefined
}

/** Whether what a shape rule is about holds all the fields that another is about. */
function holdsAll(shape: Violation, other: Violation): boolean {
  const fields = fieldsOf(other)
  const [whole] = fieldsOf(shape)
  return fields.length > 0 && fields.every((field) => field.startsWith(`${whole}.`))
}

function isOfOneField(fields: readonly string[], other: Violation): boolean {
  return fields.length > 0 && fieldsOf(other).some((theirs) => fields.some((field) => overlap(field, theirs)))
}

/** What a violation may follow from. */
function followsOf(violation: Violation): Required<Follows> {
  if (!SHAPE_RULES.has(violation.rule)) return { ...NOTHING, ...FOLLOWS[violation.rule] }
  const all = namesOf(violation).map((name): Required<Follows> => ({ ...NOTHING, ...FOLLOWS[name] }))
  return {
    item: all.flatMap(({ item }) => item),
    event: all.flatMap(({ event }) => event),
    stream: all.flatMap(({ stream }) => stream),
  }
}

const NOTHING: Required<Follows> = { item: [], event: [], stream: [] }

/** Violations at one event, each after those that it follows from; a rule about a field before what its shape says. */
function causesFirst(violations: readonly LocatedViolation[]): LocatedViolation[] {
  if (violations.length < 2) return [...violations]
  const named = violations.map((violation) => ({ violation, names: namesOf(violation) }))
  const sorted: LocatedViolation[] = []
  while (named.length > 0) {
    const at = named.findIndex(({ violation }) => !named.some((other) => leads(other, violation)))
    sorted.push(...named.splice(Math.max(at, 0), 1).map(({ violation }) => violation))
  }
  return sorted
}

function leads({ violation, names }: { violation: Violation; names: readonly string[] }, follower: Violation): boolean {
  if (violation.rule === follower.rule) return false
  const { item, event, stream } = followsOf(follower)
  if (names.some((name) => [item, event, stream, AT_ANY_EVENT].some((list) => list.includes(name)))) return true
  if (violation.about?.evidence !== undefined && follower.about?.evidence === undefined) return true
  const [isShape, isOfShape] = [SHAPE_RULES.has(violation.rule), SHAPE_RULES.has(follower.rule)]
  // A rule about a field says it better than the shape; but where what holds the field is missing, the shape says that.
  if (isOfShape && !isShape) return isOfOneField(fieldsOf(follower), violation) && !holdsAll(follower, violation)
  return isShape && !isOfShape && holdsAll(violation, follower)
}

/** Errors before warnings, the server's before the model's, then what comes first. */
function worstFirst(a: GrowingCause, b: GrowingCause): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  for (const [at, rank] of rankA.entries()) {
    const difference = rank - (rankB[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function rankOf({ severity, fault, lead }: GrowingCause): number[] {
  return [severity === 'error' ? 0 : 1, fault === 'server' ? 0 : 1, lead.position]
}

function finished({ lead, same, severity, fault, consequences, follow }: GrowingCause): Cause {
  return { lead, ...same.all, severity, fault, consequences: [...consequences.values()].map(({ all }) => all), follow }
}

/** What is wrong with a captured stream, by its causes. */
export interface StreamReport extends Totals {
  /** How many events there are. */
  readonly events: number
  /** The worst first; empty where the stream is as it should be. */
  readonly causes: readonly Cause[]
}

/**
 * Checks a captured stream, and says what is wrong with it, root cause first.
 *
 * @throws HarmonyResponsesError `bad_option` where an option is not what its type says, or `without` names no invariant.
 */
export function reportOn(
  events: Iterable<StreamEvent | ResponseStreamEvent>,
  options: CheckOptions = {},
): StreamReport {
  const checker = createChecker(options)
  const report = createReport()
  let count = 0
  for (const event of events) {
    count++
    for (const violation of checker.push(event)) report.add(violation)
  }
  for (const violation of checker.end()) report.add(violation)
  return { events: count, ...report.totals(), causes: report.causes() }
}
