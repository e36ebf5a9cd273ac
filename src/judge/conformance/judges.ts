import type { Api } from './api.js'
import { CHAT_JUDGE } from './chat/judge.js'
import type { Judge } from './judge.js'
import { MESSAGES_JUDGE } from './messages/judge.js'
import { type AnyProfile, apiOf } from './profiles.js'
import { RESPONSES_JUDGE } from './responses/judge.js'

/** The judges of all APIs. */
export const JUDGES: Readonly<Record<Api, Judge>> = {
  responses: RESPONSES_JUDGE,
  chat: CHAT_JUDGE,
  messages: MESSAGES_JUDGE,
}

/** The judge that a profile belongs to. */
export const judgeOf = (profile: AnyProfile): Judge => JUDGES[apiOf(profile)]
