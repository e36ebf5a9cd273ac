import { CLIENTS, type Client, type MessagesClient } from '../conformance/index.js'
import type { Rule } from './rules.js'

/** A client of any API, by its name. */
export type AnyClient = Client | MessagesClient

/** A root cause in one answer of the server, and its consequences. */
export interface Finding {
  /** The id of a rule of the judge or of the probe, in kebab-case. Stable. */
  readonly rule: string
  /** A `warning` fails no scenario. */
  readonly severity: 'error' | 'warning'
  /** The clients that break because of it. Empty if none is known, and the answer merely differs from OpenAI's. */
  readonly breaks: readonly AnyClient[]
  /** The request of the scenario that got this answer. */
  readonly request: string
  /** The number of the event, from 0; absent if the finding is about the answer as a whole. */
  readonly position?: number
  /** The type of the event; absent if the finding is about the answer as a whole. */
  readonly type?: string
  /** What the rule expects, in words. */
  readonly expected: string
  /** What the server sent, shortened, or a description. */
  readonly got: string
  /** How many violations follow from this one. */
  readonly more: number
  /** The rules of the violations that follow from this one. */
  readonly moreRules: readonly string[]
  /** A command that sends the same request; without the values of headers. */
  readonly curl?: string
  /** The request without what the server wrote and without the model's name: nothing but the probe's own. */
  readonly ask?: string
  /** The event that it is about, as JSON, shortened; absent if it is about the answer as a whole. */
  readonly frame?: string
  /**
   * The party to blame: the `server`, or the `fixture` that it plays, if it gives different requests the same answer
   * and the finding is about its content. The model's faults are notes.
   */
  readonly cause?: 'server' | 'fixture'
}

/** A violation of one of the probe's own rules. */
export interface Fault {
  readonly rule: Rule
  readonly expected: string
  readonly got: string
  /** Default `error`. */
  readonly severity?: Finding['severity']
  /** Default: no known client. */
  readonly breaks?: readonly AnyClient[]
}

/** For faults that break every client, because there is no stream to read. */
export const EVERY_CLIENT: readonly Client[] = CLIENTS

/** Codex skips frames that it cannot read, and leaves after the last event. */
export const ALL_BUT_CODEX: readonly Client[] = CLIENTS.filter((client) => client !== 'codex')

/** Creates a finding without consequences. */
export function findingOf(request: string, { severity = 'error', breaks = [], rule, expected, got }: Fault): Finding {
  return { rule, severity, breaks, request, expected, got, more: 0, moreRules: [] }
}

/** The longest server text in a finding, in UTF-16 code units. */
const MAX_PREVIEW = 160

/** A text on one line, shortened. The concealer looks for cut-off secrets before the three dots, so keep them. */
export function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_PREVIEW ? `${line.slice(0, MAX_PREVIEW).replace(/[\ud800-\udbff]$/, '')}...` : line
}

/** A value as JSON, shortened; `nothing` for undefined. */
export function jsonPreview(value: unknown): string {
  return value === undefined ? 'nothing' : preview(JSON.stringify(value) ?? String(value))
}

/** The longest event in a finding, in UTF-16 code units. */
const MAX_FRAME = 500

/** An event as JSON, shortened. */
export function framePreview(event: unknown): string {
  const json = JSON.stringify(event) ?? 'nothing'
  return json.length > MAX_FRAME ? `${json.slice(0, MAX_FRAME).replace(/[\ud800-\udbff]$/, '')}...` : json
}
