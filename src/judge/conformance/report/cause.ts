import type { Violation } from '../violation.js'

/** A violation, and its line in the file. */
export interface LocatedViolation extends Violation {
  /** The line on which its event begins, from 1. */
  readonly line?: number
}

/** Violations of one kind: the same rule and the same message, for different events. */
export interface RepeatedViolation {
  /** The first violations, at most three. */
  readonly first: readonly LocatedViolation[]
  /** The number of occurrences. */
  readonly count: number
}

/** One root cause in a stream, and its consequences. */
export interface Cause extends RepeatedViolation {
  /** The first violation of its kind. */
  readonly lead: LocatedViolation
  /** The highest severity of its violations. */
  readonly severity: Violation['severity']
  /** `model` if the model is at fault for all its violations. */
  readonly fault: Violation['fault']
  /** Its consequences by kind, in the order of their first violations. */
  readonly consequences: readonly RepeatedViolation[]
  /** How many violations follow from it, including kinds that `consequences` omits beyond fifty. */
  readonly follow: number
}

/** How many violations a report has received. */
export interface ViolationCounts {
  /** How many of them are errors. */
  readonly errors: number
  /** How many of them are warnings. */
  readonly warnings: number
  /** Violations whose causes are not listed, because the report already lists a hundred. */
  readonly unlisted: number
}
