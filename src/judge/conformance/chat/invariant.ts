import type { Fields } from '../../../shared/fields.js'
import { type Invariant, type ReportViolation, type WrittenRule, withDefaults } from '../invariant.js'
import { CHAT_CLIENTS, type ChatClient } from './clients/names.js'
import type { CallState, ChatState, ChoiceState } from './stream-state.js'

/** The standard for a stream of Chat Completions: OpenAI's own streams, or the needs of one client. */
export type ChatProfile = 'chat' | `chat:${ChatClient}`

/** All profiles for streams of Chat Completions: the API itself, then its clients. */
export const CHAT_PROFILES: readonly ChatProfile[] = [
  'chat',
  ...CHAT_CLIENTS.map((client): ChatProfile => `chat:${client}`),
]

export function isChatProfile(profile: unknown): profile is ChatProfile {
  return (CHAT_PROFILES as readonly unknown[]).includes(profile)
}

/** A rule that every correct stream of Chat Completions follows. Its id begins with `chat-`. */
export interface ChatInvariant extends Omit<Invariant, 'neededBy' | 'on' | 'begin'> {
  /** The profiles that check the rule. */
  readonly neededBy: readonly ChatProfile[]
  /** Starts checking one stream: constant work per chunk, and memory for open calls only. @internal */
  begin(): ChatCheck
}

/** The check of one rule on one stream. Each method receives the state before the value that it checks. */
export interface ChatCheck {
  /** Checks a chunk, or the value in place of one. */
  chunk?(chunk: Fields, state: ChatState, report: ReportViolation): void
  /** Checks a choice of a chunk. `seen` is its state; undefined if the chunk begins it. */
  choice?(choice: Fields, seen: ChoiceState | undefined, state: ChatState, report: ReportViolation): void
  /** Checks a delta of a call. `seen` is its state; undefined if the delta begins it. */
  call?(delta: Fields, seen: CallState | undefined, choice: ChoiceState, report: ReportViolation): void
  /** Checks a choice at its finish_reason, when the deltas of the same chunk are in its state. */
  finish?(reason: unknown, choice: ChoiceState, report: ReportViolation): void
  /** Checks the end of the stream. */
  end?(state: ChatState, report: ReportViolation): void
}

/** Rules that OpenAI's own streams follow, unless they name other profiles. */
export function chatRules(rules: readonly WrittenRule<ChatInvariant>[]): readonly ChatInvariant[] {
  return withDefaults(['chat'], rules)
}
