import type { About } from './about.js'
import { CLIENTS, type Client } from './clients/names.js'
import type { EventKind } from './event-kind.js'
import type { StreamEvent } from './stream-event.js'
import type { StreamState } from './stream-state.js'

/** The standard for a stream: OpenAI's own streams, the requirements of Open Responses, or the needs of one client. */
export type Profile = 'openai' | 'open-responses' | `client:${Client}`

/** All profiles for streams of Responses: the API itself, Open Responses, then the clients. */
export const PROFILES: readonly Profile[] = [
  'openai',
  'open-responses',
  ...CLIENTS.map((client): Profile => `client:${client}`),
]

/** A rule that every correct stream follows. */
export interface Invariant {
  /** In kebab-case. Stable, because programs branch on it. */
  readonly id: string
  /** The rule, in one sentence. */
  readonly sentence: string
  /** The profiles that check the rule: who always follows it, who requires it, which clients break without it. */
  readonly neededBy: readonly Profile[]
  /** `warning` if no client is known to break. */
  readonly severity: 'error' | 'warning'
  /** `model` if the server only passes on what the model wrote. Default: the server is at fault. */
  readonly fault?: 'model'
  /** Selects the events that it checks, by their type. Default: all events. */
  readonly on?: (kind: EventKind) => boolean
  /** Starts checking one stream: constant work per event, and memory for open items only. */
  begin(): Check
}

/** The check of one rule on one stream. */
export interface Check {
  /** Checks an event that `on` selects. `state` is the state of the stream before the event. */
  event?(event: StreamEvent, state: StreamState, report: ReportViolation): void
  /** Checks the end of the stream. */
  end?(state: StreamState, report: ReportViolation): void
}

/** Reports the expectation, in words, and the actual value: `got`, or the words that replace it. */
export type ReportViolation = (expected: string, got: unknown, words?: string, details?: ViolationDetails) => void

/** Details of a violation that replace the defaults of its event and rule. */
export interface ViolationDetails {
  /** The item or part concerned, if it is not that of the event. */
  readonly about?: About
  /** The party at fault, if not the rule's own. */
  readonly fault?: 'server' | 'model'
}

/** A check without memory of its own: it reads the event and the state of the stream before it. */
export function stateless(event: NonNullable<Check['event']>): Invariant['begin'] {
  const check = { event }
  return () => check
}

/** A check of the end of the stream only. */
export function atEnd(end: NonNullable<Check['end']>): Invariant['begin'] {
  const check = { end }
  return () => check
}

/** Selects events of these types. */
export function of(...types: string[]): NonNullable<Invariant['on']> {
  return ({ type }) => types.includes(type)
}
