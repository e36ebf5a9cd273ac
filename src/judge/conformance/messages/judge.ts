import { type Judge, judge } from '../judge.js'
import { createMessagesChecker } from './check-events.js'
import { MESSAGES_CLIENTS, type MessagesClient } from './clients/names.js'
import { explainMessages } from './explain.js'
import { MESSAGES_PROFILES, type MessagesProfile } from './invariant.js'
import { neededMessagesFraming } from './invariants/framing.js'
import { MESSAGES_INVARIANTS } from './invariants/index.js'

/** The judge of the Messages API. */
export const MESSAGES_JUDGE: Judge = judge<MessagesProfile, MessagesClient>(
  { api: 'messages', rules: MESSAGES_INVARIANTS, rulesName: 'MESSAGES_INVARIANTS', resumes: false },
  {
    profiles: MESSAGES_PROFILES,
    clients: Object.fromEntries(MESSAGES_CLIENTS.map((client) => [`messages:${client}`, client])),
    checkers: (profile, without) => () => createMessagesChecker(profile, without).checker,
    framing: neededMessagesFraming,
    explain: explainMessages,
  },
)
