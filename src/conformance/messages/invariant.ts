import type { Invariant, ReportViolation } from '../invariant.js'
import type { StreamEvent } from '../stream-event.js'
import type { MessageState } from './message-state.js'

/** What a stream of the Messages API is checked against: what Anthropic's streams always do. */
export type MessagesProfile = 'messages'

export const MESSAGES_PROFILES: readonly MessagesProfile[] = ['messages']

export function isMessagesProfile(profile: unknown): profile is MessagesProfile {
  return profile === 'messages'
}

/** A rule that every correct stream of the Messages API follows. Its id begins with `messages-`. */
export interface MessagesInvariant extends Omit<Invariant, 'neededBy' | 'on' | 'begin'> {
  readonly neededBy: readonly MessagesProfile[]
  /** Starts checking one stream: constant work per event, and memory for the open block only. */
  begin(): MessagesCheck
}

/** The check of one rule on one stream. Each method gets the state before what it checks. */
export interface MessagesCheck {
  event?(event: StreamEvent, state: MessageState, report: ReportViolation): void
  /** Checks the end of the stream. */
  end?(state: MessageState, report: ReportViolation): void
}

/** The check of a rule without memory of its own. */
export function always(check: MessagesCheck): MessagesInvariant['begin'] {
  return () => check
}
