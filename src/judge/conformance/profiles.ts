import type { Api } from './api.js'
import { CHAT_PROFILES, type ChatProfile, isChatProfile } from './chat/invariant.js'
import { PROFILES, type Profile } from './invariant.js'
import { isMessagesProfile, MESSAGES_PROFILES, type MessagesProfile } from './messages/invariant.js'

/** A standard for a stream of any API. */
export type AnyProfile = Profile | ChatProfile | MessagesProfile

export const ALL_PROFILES: readonly AnyProfile[] = [...PROFILES, ...CHAT_PROFILES, ...MESSAGES_PROFILES]

/** The API whose streams a profile is about. */
export function apiOf(profile: AnyProfile): Api {
  if (isMessagesProfile(profile)) return 'messages'
  return isChatProfile(profile) ? 'chat' : 'responses'
}
