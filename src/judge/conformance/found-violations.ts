import type { ViolationSubject } from './about.js'
import type { ReportViolation } from './invariant.js'
import { preview } from './preview.js'
import type { Violation } from './violation.js'

/** The facts of a rule that its violations repeat. */
type RuleFacts = Pick<Violation, 'severity'> & { readonly id: string; readonly fault?: 'model' }

/** Where a rule is violated. */
interface Place {
  readonly position: number
  readonly type: string | undefined
  readonly about: ViolationSubject | undefined
}

/** The violations that a checker has found since they were last taken. */
export class FoundViolations {
  #found: Violation[] = []

  /** Adds a violation of a rule. The server is at fault, unless the rule or the details name another party. */
  add(rule: RuleFacts, { position, type, about }: Place, ...reported: Parameters<ReportViolation>): void {
    const [expected, value, words, details] = reported
    this.#found.push({
      rule: rule.id,
      severity: rule.severity,
      fault: details?.fault ?? rule.fault ?? 'server',
      position,
      ...(type !== undefined && { type }),
      expected,
      got: words ?? preview(value),
      ...(about !== undefined && Object.keys(about).length > 0 && { about }),
    })
  }

  /** Moves the latest violation to an event: a client's losses are known only at the end, but have an earlier cause. */
  moveLatest(at: Pick<Violation, 'position' | 'type'> | undefined): void {
    if (at !== undefined) this.#found.push({ ...(this.#found.pop() as Violation), ...at })
  }

  take(): Violation[] {
    const violations = this.#found
    if (violations.length > 0) this.#found = []
    return violations
  }
}
