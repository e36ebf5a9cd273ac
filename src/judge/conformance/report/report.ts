import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import type { PossibleCauses } from '../causes.js'
import { type CheckOptions, createCheckerOf } from '../check.js'
import type { StreamEvent } from '../stream-event.js'
import { checkList } from '../stream-list.js'
import type { StreamChunk, Violation } from '../violation.js'
import type { Cause, LocatedViolation, RepeatedViolation, ViolationCounts } from './cause.js'
import { CauseIndex } from './cause-index.js'
import { causesNamed, EXPLAINS_EVENT, factsOf } from './rule-facts.js'
import { SequenceEvidence } from './sequence-evidence.js'
import { causeNamesOf, fieldPathsOf, kindKey, pathsOverlap } from './violation-kind.js'

/** The maximum number of causes that are listed, and of kinds of consequences for each; the others are only counted. */
const MAX_CAUSES = 100
const MAX_KINDS = 50

/** The maximum number of violations of one event that are sorted by cause together. */
const MAX_PENDING = 200

/** Groups the violations of one stream by their causes. */
export interface Report {
  /** Adds the next violation, in the order in which the checker reports them. */
  add(violation: Violation, place?: { readonly line?: number | undefined }): void
  /** The causes so far, the worst first. */
  causes(): Cause[]
  /** The counts so far. */
  totals(): ViolationCounts
}

/** A cause to which violations are still added. */
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
 * Creates a report for one stream. It groups violations by cause, collapses repeats, and sorts the worst causes first.
 * Its memory is bounded, however many violations there are.
 *
 * @example
 * ```ts
 * import { createChecker, createReport } from 'harmony-responses/conformance'
 *
 * const checker = createChecker()
 * const report = createReport()
 * for await (const event of stream) for (const violation of checker.push(event)) report.add(violation)
 * for (const violation of checker.end()) report.add(violation)
 * for (const { lead, consequences } of report.causes()) console.error(lead.expected, consequences.length)
 * ```
 */
export function createReport(): Report {
  const causes = new Map<string, GrowingCause>()
  const where = new CauseIndex<GrowingCause>()
  const evidence = new SequenceEvidence<GrowingCause>()
  const totals = { errors: 0, warnings: 0, unlisted: 0 }
  /** The violations of the current event. They are sorted first: the checker reports them in the order of its rules. */
  let pending: LocatedViolation[] = []

  function flush(): void {
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
    if (causes.size >= MAX_CAUSES) return undefined
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
      if (pending[0]?.position !== position || pending.length >= MAX_PENDING) flush()
      pending.push(line === undefined ? violation : { ...violation, line })
    },
    causes() {
      flush()
      return [...causes.values()].sort(worstFirst).map(toCause)
    },
    totals() {
      flush()
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
  const repeats = cause.consequences.get(key) ?? (cause.consequences.size < MAX_KINDS ? new Repeats() : undefined)
  if (repeats === undefined) return
  cause.consequences.set(key, repeats)
  repeats.add(violation)
}

/** The earlier cause that explains a violation, if there is one. */
function causeOf(
  violation: Violation,
  where: CauseIndex<GrowingCause>,
  evidence: SequenceEvidence<GrowingCause>,
): GrowingCause | undefined {
  const { rule, position } = violation
  const { item, event, stream } = possibleCausesOf(violation)
  // Except for rules that name a field, by which their violations differ, an earlier violation of the same rule is a cause, too.
  for (const name of factsOf(rule).namesField ? item : [rule, ...item]) {
    const cause = where.ofItem(name, violation)
    if (cause !== undefined) return cause
  }
  const names = [...event, ...EXPLAINS_EVENT]
  const fields = fieldPathsOf(violation)
  const atEvent = where.atEvent(
    position,
    (other, itsNames) => names.some((name) => itsNames.includes(name)) || sharesField(fields, other),
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

/** Whether the field of a shape violation contains all fields of another violation. */
function coversAllFields(shape: Violation, other: Violation): boolean {
  const fields = fieldPathsOf(other)
  const [whole] = fieldPathsOf(shape)
  return fields.length > 0 && fields.every((field) => field.startsWith(`${whole}.`))
}

function sharesField(fields: readonly string[], other: Violation): boolean {
  return fields.length > 0 && fieldPathsOf(other).some((theirs) => fields.some((field) => pathsOverlap(field, theirs)))
}

/** The rules that may explain a violation. */
function possibleCausesOf(violation: Violation): Required<PossibleCauses> {
  const all = causeNamesOf(violation).flatMap((name) => causesNamed(name, violation) ?? [])
  return {
    item: all.flatMap(({ item = [] }) => item),
    event: all.flatMap(({ event = [] }) => event),
    stream: all.flatMap(({ stream = [] }) => stream),
  }
}

/** Sorts the violations of one event: causes before consequences, and rules for a field before shape rules. */
function causesFirst(violations: readonly LocatedViolation[]): LocatedViolation[] {
  if (violations.length < 2) return [...violations]
  const named = violations.map((violation) => ({ violation, names: causeNamesOf(violation) }))
  const sorted: LocatedViolation[] = []
  while (named.length > 0) {
    const at = named.findIndex(({ violation }) => !named.some((other) => precedes(other, violation)))
    for (const { violation } of named.splice(Math.max(at, 0), 1)) sorted.push(violation)
  }
  return sorted
}

function precedes(
  { violation, names }: { violation: Violation; names: readonly string[] },
  follower: Violation,
): boolean {
  if (violation.rule === follower.rule) return false
  const { item, event, stream } = possibleCausesOf(follower)
  if (names.some((name) => [item, event, stream, EXPLAINS_EVENT].some((list) => list.includes(name)))) return true
  if (violation.about?.evidence !== undefined && follower.about?.evidence === undefined) return true
  const [isShape, isOfShape] = [violation, follower].map(({ rule }) => factsOf(rule).namesField === true)
  // A rule for a field describes its problem better than the shape rule, unless the object with the field is missing.
  if (isOfShape && !isShape)
    return sharesField(fieldPathsOf(follower), violation) && !coversAllFields(follower, violation)
  return isShape === true && !isOfShape && coversAllFields(violation, follower)
}

/** Sorts errors before warnings, the server's faults before the model's, and then by position. */
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

function toCause({ lead, same, severity, fault, consequences, follow }: GrowingCause): Cause {
  return { lead, ...same.all, severity, fault, consequences: [...consequences.values()].map(({ all }) => all), follow }
}

/** The maximum number of violations of one kind that are kept; the others are only counted. */
const MAX_KEPT = 3

/** Collects the violations of one kind. */
class Repeats {
  readonly #first: LocatedViolation[] = []
  #count = 0

  add(violation: LocatedViolation): void {
    this.#count++
    if (this.#first.length < MAX_KEPT) this.#first.push(violation)
  }

  get all(): RepeatedViolation {
    return { first: [...this.#first], count: this.#count }
  }
}

/** The causes of all violations in a captured stream. */
export interface StreamReport extends ViolationCounts {
  /** The number of events. */
  readonly events: number
  /** The worst first; empty if the stream has no violations. */
  readonly causes: readonly Cause[]
}

/**
 * Checks a captured stream, and groups its violations by cause.
 *
 * @throws HarmonyResponsesError `bad_option` if an option has the wrong type, or `without` has an unknown id.
 *
 * @example
 * ```ts
 * import { reportOn } from 'harmony-responses/conformance'
 *
 * const { errors, causes } = reportOn(events)
 * console.log(errors, causes.length) // 0 0
 * ```
 */
export function reportOn(
  events: Iterable<StreamEvent | ResponseStreamEvent | StreamChunk>,
  options: CheckOptions = {},
): StreamReport {
  checkList('reportOn', events)
  const checker = createCheckerOf('reportOn', options)
  const report = createReport()
  let count = 0
  for (const event of events) {
    count++
    for (const violation of checker.push(event)) report.add(violation)
  }
  for (const violation of checker.end()) report.add(violation)
  return { events: count, ...report.totals(), causes: report.causes() }
}
