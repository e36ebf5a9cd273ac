import { type Invariant, type ReportViolation, type WrittenRule, withDefaults } from '../invariant.js'
import type { StreamEvent } from '../stream-event.js'
import { MESSAGES_CLIENTS, type MessagesClient } from './clients/names.js'
import type { MessageState } from './message-state.js'

/** The standard for a stream of the Messages API: Anthropic's own streams, or the needs of one client. */
export type MessagesProfile = 'messages' | `messages:${MessagesClient}`

/** All profiles for streams of Messages: the API itself, then its clients. */
export const MESSAGES_PROFILES: readonly MessagesProfile[] = [
  'messages',
  ...MESSAGES_CLIENTS.map((client): MessagesProfile => `messages:${client}`),
]

export function isMessagesProfile(profile: unknown): profile is MessagesProfile {
  return (MESSAGES_PROFILES as readonly unknown[]).includes(profile)
}

/** A rule that every correct stream of the Messages API follows. Its id begins with `messages-`. */
export interface MessagesInvariant extends Omit<Invariant, 'neededBy' | 'on' | 'begin'> {
  /** The profiles that check the rule. */
  readonly neededBy: readonly MessagesProfile[]
  /** Starts checking one stream: constant work per event, and memory for the open block only. @internal */
  begin(): MessagesCheck
}

/** The check of one rule on one stream. Each method receives the state before the value that it checks. */
export interface MessagesCheck {
  event?(event: StreamEvent, state: MessageState, report: ReportViolation): void
  /** Checks the end of the stream. */
  end?(state: MessageState, report: ReportViolation): void
}

/** Rules that Anthropic's own streams follow, unless they name other profiles. */
export function messagesRules(rules: readonly WrittenRule<MessagesInvariant>[]): readonly MessagesInvariant[] {
  return withDefaults(['messages'], rules)
}
