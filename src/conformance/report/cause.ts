import type { Violation } from '../check.js'

/** A violation, and where it is in its file. */
export interface LocatedViolation extends Violation {
  /** The line of the file in which its event begins, from 1. */
  readonly line?: number
}

/** Violations of one kind: of one rule, that say the same of different events. */
export interface Repeated {
  /** The first of them, at most three. */
  readonly first: readonly LocatedViolation[]
  /** How many there are. */
  readonly count: number
}

/** One thing that is wrong with a stream, and all that follows from it. */
export interface Cause extends Repeated {
  /** The violation that says it: the first of its kind. */
  readonly lead: LocatedViolation
  /** The worst of all its violations'. */
  readonly severity: Violation['severity']
  /** `model` where all of it is what the model wrote. */
  readonly fault: Violation['fault']
  /** What follows from it, by kind, in the order in which it came. */
  readonly consequences: readonly Repeated[]
  /** How many violations follow from it; more than `consequences` tell where they are of more than fifty kinds. */
  readonly follow: number
}

/** How many violations a report was given. */
export interface Totals {
  readonly errors: number
  readonly warnings: number
  /** Violations whose causes are not listed, because there are more than a hundred others. */
  readonly unlisted: number
}
