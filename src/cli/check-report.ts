import type { Violation } from '../judge/conformance/check.js'
import type { AnyProfile } from '../judge/conformance/profiles.js'
import type { Cause, ViolationCounts } from '../judge/conformance/report/cause.js'
import { createReport, type Report } from '../judge/conformance/report/report.js'
import { isAtEnd } from '../judge/conformance/violation.js'
import { causeLines, difference, severityStyle } from './cause-text.js'
import { counted } from './counted.js'
import { clip, createPaint, placeStyle, plain } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

/** The maximum number of violations of a rule that are printed live; further ones are only counted. */
const SHOWN = 3

/** The violations of a stream, for machines. */
export interface StreamJson extends ViolationCounts {
  readonly events: number
  readonly causes: readonly Cause[]
}

/** The report of one stream of a capture: live, and complete at the end. */
export interface CheckedStream {
  /** Takes a violation of the checker, and its line. */
  add(violation: Violation, line?: number): void
  /** Returns the lines to print for a violation while a stream is watched live: `''` if there are none. */
  live(violation: Violation, line?: number): string
  /** The complete report, causes first: lines for people. */
  end(events: number): string
  /** Returns the complete report for machines. */
  json(events: number): StreamJson
  /** Whether the stream is correct so far: warnings do not count. */
  readonly isGood: boolean
}

export interface CheckedStreamOptions {
  readonly profile: AnyProfile
  /** The number of the stream in the capture, from 1. */
  readonly number: number
  readonly screen: Screen
}

/** Creates a report of one stream. It keeps a few violations of each kind, however many there are. */
export function createCheckedStream({ profile, number, screen }: CheckedStreamOptions): CheckedStream {
  /** Made at the first violation: most streams have none. */
  let report: Report | undefined
  const paint = createPaint(screen.hasColors)
  const shownPerRule = new Map<string, number>()
  const room = Math.max(screen.columns - 1, 40)
  let isGood = true

  function live(violation: Violation, line: number | undefined): string {
    const { rule, severity, position, type } = violation
    const count = (shownPerRule.get(rule) ?? 0) + 1
    shownPerRule.set(rule, count)
    if (count > SHOWN + 1) return ''
    if (count > SHOWN) return `${paint(`… further violations of ${rule} are only counted`, 'dim')}\n`
    const at = line === undefined ? `event ${position}` : `line ${line}`
    const what = type === undefined ? '' : ` ${clip(plain(type.replace(/^response\./, '')), 50)}`
    const where = isAtEnd(violation) ? 'at the end' : at + what
    const text = clip(`${where}: ${difference(violation)} (${plain(rule)})`, room - severity.length)
    const style = severityStyle(severity)
    const [place, rest] = text.startsWith(where) ? [where, text.slice(where.length)] : [text, '']
    return `${paint(severity, style)} ${paint(place, placeStyle(style))}${rest}\n`
  }

  return {
    add(violation, line) {
      if (violation.severity === 'error') isGood = false
      report ??= createReport()
      report.add(violation, { line })
    },
    live,
    end(events) {
      const causes = report?.causes() ?? []
      const head = summary(number, events, causes.length, report?.totals() ?? NONE, profile)
      const style = isGood ? 'green' : 'red'
      const lines = causes.flatMap((cause) => causeLines(cause, events, screen.columns, paint))
      return [paint(head, style), ...lines].map((line) => `${line}\n`).join('')
    },
    json: (events) => ({ events, ...(report?.totals() ?? NONE), causes: report?.causes() ?? [] }),
    get isGood() {
      return isGood
    },
  }
}

const NONE: ViolationCounts = { errors: 0, warnings: 0, unlisted: 0 }

function summary(number: number, events: number, causes: number, totals: ViolationCounts, profile: AnyProfile): string {
  const { errors, warnings, unlisted } = totals
  const counts = [
    counted(events, 'event'),
    counted(errors, 'violation'),
    counted(warnings, 'warning'),
    ...(causes > 0 ? [counted(causes, 'cause')] : []),
    ...(unlisted > 0 ? [`${unlisted} of other causes`] : []),
  ]
  return `stream ${number}: ${counts.join(', ')} (profile ${profile})`
}
