import { checkEvents, type Violation } from '../conformance/check.js'
import type { Profile } from '../conformance/invariant.js'
import { INVARIANTS } from '../conformance/invariants/index.js'
import { readStreams } from '../conformance/read-streams.js'

/** What is wrong with one stream of a capture. */
interface StreamReport {
  readonly events: number
  readonly violations: readonly Violation[]
}

/** What to print, and whether every stream is as it should be. */
export interface CheckReport {
  readonly text: string
  readonly isGood: boolean
}

/** Checks captured streams, and says what is wrong with them. */
export function printCheck(text: string, profile: Profile, isJson: boolean): CheckReport {
  const streams = readStreams(text)
  const reports = streams.map((events) => ({ events: events.length, violations: checkEvents(events, { profile }) }))
  const isGood = reports.every(({ violations }) => violations.every(({ severity }) => severity !== 'error'))
  const report = isJson ? `${JSON.stringify({ profile, streams: reports })}\n` : inWords(reports, profile)
  return { text: report, isGood: isGood && reports.length > 0 }
}

function inWords(reports: readonly StreamReport[], profile: Profile): string {
  if (reports.length === 0) return `no event (profile ${profile})\n`
  return reports
    .map(({ events, violations }, index) => {
      const errors = violations.filter(({ severity }) => severity === 'error').length
      const warnings = violations.length - errors
      const counts = `${count(events, 'event')}, ${count(errors, 'violation')}, ${count(warnings, 'warning')}`
      return `stream ${index + 1}: ${counts} (profile ${profile})\n${byRule(violations)}`
    })
    .join('')
}

function byRule(violations: readonly Violation[]): string {
  return INVARIANTS.map(({ id, sentence, severity, fault }) => {
    const found = violations.filter(({ rule }) => rule === id)
    if (found.length === 0) return ''
    const lines = found.map(({ position, type, expected, got }) => {
      const at = type === undefined ? 'at the end' : `event ${position} ${type}`
      return `    ${at}: expected ${expected}, got ${got}\n`
    })
    const whose = fault === 'model' ? ' (The model wrote it.)' : ''
    return `  ${severity} ${id}: ${sentence}${whose}\n${lines.join('')}`
  }).join('')
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
