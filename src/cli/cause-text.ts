import type { Cause, LocatedViolation, RepeatedViolation } from '../judge/conformance/report/cause.js'
import { sentenceOf } from '../judge/conformance/report/rule-facts.js'
import { missingField } from '../judge/conformance/report/violation-kind.js'
import { isAtEnd } from '../judge/conformance/violation.js'
import { clip, type Paint, placeStyle, plain, type Style, wrap } from './terminal-text.js'

/** The indent of a cause's lines. */
const MARGIN = 11

/** The maximum number of rules and lines that are named; the others are counted. */
const NAMED = 6

/** Formats a cause: its place, the problem, the rule that it breaks, how often it occurs, and its consequences. */
export function causeLines(cause: Cause, events: number, columns: number, paint: Paint): string[] {
  const { lead, severity, fault } = cause
  const place = placeStyle(severityStyle(severity))
  const label = `  ${severity.padEnd(MARGIN - 4)}  `
  const [first = '', ...rest] = within(placeOf(lead), columns)
  const block = (text: string | undefined, style?: Style): string[] =>
    text === undefined ? [] : within(text, columns).map((line) => ' '.repeat(MARGIN) + paint(line, style))
  return [
    paint(label, severityStyle(severity)) + paint(first, place),
    ...rest.map((line) => ' '.repeat(MARGIN) + paint(line, place)),
    ...block(whatIsWrong(cause, events)),
    ...block(fault === 'model' ? 'The model wrote this; a server that passes it on is right.' : undefined),
    ...block(`${lead.rule}: ${sentenceOf(lead.rule) ?? ''}`, 'dim'),
    ...block(isEverywhere(cause, events) ? undefined : moreOf(cause)),
    ...block(followersOf(cause)),
  ]
}

export function severityStyle(severity: Cause['severity']): Style {
  return severity === 'error' ? 'red' : 'yellow'
}

/** Returns the place of a violation: line, event, item and part, or block, or choice and call. */
export function placeOf(violation: LocatedViolation): string {
  const { line, position, type, about = {} } = violation
  const { outputIndex, contentIndex, summaryIndex, choice, call, block } = about
  const named = type === undefined ? `event ${position}` : `event ${position} ${short(type)}`
  const at = isAtEnd(violation) ? 'at the end' : named
  const item = outputIndex === undefined ? [] : [`item ${outputIndex}`]
  const part =
    contentIndex !== undefined
      ? [`part ${contentIndex}`]
      : summaryIndex === undefined
        ? []
        : [`summary part ${summaryIndex}`]
  const inChat = [
    ...(block === undefined ? [] : [`block ${block}`]),
    ...(choice === undefined ? [] : [`choice ${choice}`]),
    ...(call === undefined ? [] : [`call ${call}`]),
  ]
  return [...(line === undefined ? [] : [`line ${line}`]), at, ...item, ...part, ...inChat].join(', ')
}

/** Formats the expected and the actual value, without characters that move the cursor. */
export function difference({ expected, got }: LocatedViolation): string {
  return `expected ${plain(expected)}, got ${plain(got)}`
}

/** Wraps text in the columns beside the margin. */
function within(text: string, columns: number): string[] {
  return wrap(text, Math.max(columns - MARGIN, 30), 0)
}

function whatIsWrong(cause: Cause, events: number): string {
  const { lead, count } = cause
  const missing = missingField(lead)
  if (missing !== undefined && count > 1) {
    return `${plain(missing)} is missing from ${isEverywhere(cause, events) ? 'all ' : ''}${count} events`
  }
  const evidence = evidenceOf(cause)
  return evidence === undefined ? difference(lead) : `${difference(lead)}: ${evidence}`
}

/** Whether every event has the cause, so that no line is worth naming. */
function isEverywhere({ count }: Cause, events: number): boolean {
  return count === events && events > 1
}

/** Interprets wrong numbers of events. */
function evidenceOf({ lead, first, follow }: Cause): string | undefined {
  const evidence = first.map(({ about }) => about?.evidence)
  if (evidence.includes('reordered')) return 'events came out of order'
  if (lead.about?.evidence === 'repeated') return 'an event came twice'
  // The violation itself reports that the beginning is missing.
  if (lead.about?.evidence !== 'lost' || lead.rule === 'created-first') return undefined
  return follow > 0
    ? 'an event was lost here, which explains what follows'
    : 'an event was lost here, or never numbered'
}

function moreOf({ first, count }: RepeatedViolation): string | undefined {
  if (count < 2) return undefined
  const others = first.slice(1).map(({ line, position }) => `${line ?? position}`)
  const what = first[1]?.line === undefined ? 'event' : 'line'
  const list = others.join(', ') + (count > first.length ? ', …' : '')
  return `and ${count - 1} more like it: ${what}${count > 2 ? 's' : ''} ${list}`
}

function followersOf({ consequences, follow }: Cause): string | undefined {
  if (follow === 0) return undefined
  const rules = new Map<string, number>()
  for (const { first, count } of consequences) {
    const rule = first[0]?.rule ?? ''
    rules.set(rule, (rules.get(rule) ?? 0) + count)
  }
  const named = [...rules].slice(0, NAMED).map(([rule, count]) => (count === 1 ? rule : `${rule} ×${count}`))
  return `and because of it: ${follow} more (${named.join(', ')}${rules.size > NAMED ? ', …' : ''})`
}

/** Shortens the type of an event, which is untrusted. */
function short(type: string): string {
  return clip(plain(type), 80)
}
