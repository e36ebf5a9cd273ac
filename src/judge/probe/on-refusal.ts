import type { Fault } from './finding.js'

/** How to treat a refusal of a request. */
export interface OnRefusal {
  /** The feature is optional, so a refusal is not a finding. */
  readonly isOptional?: boolean
  /** The finding for a refusal. Default: a violation of `answers`. */
  readonly refusal?: Pick<Fault, 'rule' | 'expected'>
}
