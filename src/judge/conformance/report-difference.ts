import type { ReportViolation } from './invariant.js'
import { preview, previewDifference } from './preview.js'

/** Reports a text that differs from the expected one, and shows both around their first difference. */
export function reportDifference(what: string, expected: string, got: unknown, report: ReportViolation): void {
  if (got === expected) return
  if (typeof got !== 'string') report(`${what} ${preview(expected)}`, got)
  else {
    const [was, is] = previewDifference(expected, got)
    report(`${what} ${was}`, undefined, is)
  }
}
