import type { ReportViolation } from './invariant.js'
import { preview, previewDifference } from './preview.js'
import { matchesDeltas, type OpenItem, type OpenPart } from './stream-state.js'

/** Reports a text that differs from the expected one, and shows both around their first difference. */
export function reportDifference(what: string, expected: string, got: unknown, report: ReportViolation): void {
  if (got === expected) return
  if (typeof got !== 'string') report(`${what} ${preview(expected)}`, got)
  else {
    const [was, is] = previewDifference(expected, got)
    report(`${what} ${was}`, undefined, is)
  }
}

/** Reports a text that does not match its deltas. */
export function checkDeltas(text: unknown, of: OpenPart | OpenItem, report: ReportViolation): void {
  const streamed = of.deltas.join('')
  if (!matchesDeltas(text, streamed, of)) reportDifference('the joined deltas', streamed, text, report)
}
