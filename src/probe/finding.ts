import { CLIENTS, type Client } from '../conformance/index.js'
import type { Rule } from './rules.js'

/** What is wrong with one answer of the server: the root cause, and how much follows from it. */
export interface Finding {
  /** The id of an invariant of the judge, or one of the probe's own rules. Kebab-case, stable. */
  readonly rule: string
  /** A `warning` fails no scenario. */
  readonly severity: 'error' | 'warning'
  /** The clients that break at it. Empty where none is known to: OpenAI's own server does otherwise. */
  readonly breaks: readonly Client[]
  /** Which request of the scenario was answered so. */
  readonly request: string
  /** The number of the event, from 0, and its type; absent where it is about the answer as a whole. */
  readonly position?: number
  readonly type?: string
  readonly expected: string
  readonly got: string
  /** How many more violations follow from this one, and of which rules. */
  readonly more: number
  readonly moreRules: readonly string[]
}

/** What is known of a finding of the probe's own. */
export interface Fault {
  readonly rule: Rule
  readonly expected: string
  readonly got: string
  /** Default `error`. */
  readonly severity?: Finding['severity']
  /** Default: no client that we know of. */
  readonly breaks?: readonly Client[]
}

/** For what no client gets past: there is no stream to read. */
export const EVERY_CLIENT: readonly Client[] = CLIENTS

/** A finding that stands for itself. */
export function findingOf(request: string, { severity = 'error', breaks = [], rule, expected, got }: Fault): Finding {
  return { rule, severity, breaks, request, expected, got, more: 0, moreRules: [] }
}

/** The longest text of a server's that a finding repeats. */
const MAX_PREVIEW = 160

/** Text that may be long, in one line. Three dots at its end are what the search for half a secret goes by. */
export function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_PREVIEW ? `${line.slice(0, MAX_PREVIEW).replace(/[\ud800-\udbff]$/, '')}...` : line
}

/** A value as JSON, shortened; `nothing` where there is none. */
export function jsonPreview(value: unknown): string {
  return value === undefined ? 'nothing' : preview(JSON.stringify(value) ?? String(value))
}
