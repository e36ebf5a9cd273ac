import type { ViolationSubject } from './about.js'
import type { RuleCauses } from './causes.js'
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
export interface Invariant extends RuleCauses {
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
  /** Selects the events that it checks, by their type. Default: all events. @internal */
  readonly on?: (kind: EventKind) => boolean
  /** Starts checking one stream: constant work per event, and memory for open items only. @internal */
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
  readonly about?: ViolationSubject
  /** The party at fault, if not the rule's own. */
  readonly fault?: 'server' | 'model'
}

/** A rule as it is written down: without what most rules of its API have in common. */
export type WrittenRule<Rule extends CompleteRule> = Omit<Rule, keyof CompleteRule> &
  Partial<Pick<Rule, keyof CompleteRule>> &
  ReturnType<Rule['begin']>

/** The parts of a rule that have a default. */
interface CompleteRule {
  readonly neededBy: readonly string[]
  readonly severity: 'error' | 'warning'
  begin(): object
}

/**
 * Gives rules their defaults: a rule is an error, and needed by these profiles, unless it says otherwise. One without
 * `begin` has no memory of its own: it reads the state of the stream, and its own methods check every stream.
 */
export function withDefaults<Rule extends CompleteRule>(
  neededBy: Rule['neededBy'],
  rules: readonly WrittenRule<Rule>[],
): readonly Rule[] {
  // The cast: the compiler does not see that a rule with its defaults is whole.
  return rules.map((rule) => ({ neededBy, severity: 'error', begin: () => rule, ...rule }) as unknown as Rule)
}

/** Rules of the Responses API, which both specifications need unless they say otherwise. */
export function responseRules(rules: readonly WrittenRule<Invariant>[]): readonly Invariant[] {
  return withDefaults(['openai', 'open-responses'], rules)
}

/** Selects events of these types. */
export function of(...types: string[]): NonNullable<Invariant['on']> {
  return ({ type }) => types.includes(type)
}
