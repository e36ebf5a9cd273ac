import type { Violation } from '../conformance/index.js'

/** One root cause, and what follows from it. */
export interface Cause {
  readonly violation: Violation
  readonly more: number
  /** The rules of what follows, each once. */
  readonly moreRules: readonly string[]
}

/**
 * The causes behind the violations of one stream under one profile: the first error leads, or the first warning where
 * nothing is an error, and all others are counted as what follows. What the model wrote is no fault of the server's.
 */
export function causesOf(violations: readonly Violation[]): Cause[] {
  const ofServer = violations.filter(({ fault }) => fault === 'server')
  const first = ofServer.find(({ severity }) => severity === 'error') ?? ofServer[0]
  if (first === undefined) return []
  const rest = ofServer.filter((violation) => violation !== first)
  const moreRules = [...new Set(rest.map(({ rule }) => rule))].filter((rule) => rule !== first.rule)
  return [{ violation: first, more: rest.length, moreRules }]
}
